"""What a slot may hold, as frozen values: the part of JSON Schema that is obeyed.

Made by ``schema_reader``; knows nothing of utterances, models or grammars.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from constrained_du.patterns.patterns import compiled
from constrained_du.types import JsonValue, compact_json

MAX_TEXT = 256  # code points of free text without maxLength
MAX_FREE_STATES = 10_000  # pattern × length of one free text
FORMATS = ("date", "time", "date-time", "duration", "email", "uri", "uuid", "ipv4", "ipv6", "hostname")
TIME_FORMATS = FORMATS[:4]
JSON_TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


# ---- the values -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Enumerated:
    """One of these JSON values, each with its own type."""

    values: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class Boolean:
    pass


@dataclass(frozen=True, slots=True)
class Null:
    pass


@dataclass(frozen=True, slots=True)
class Number:
    """A number within bounds; bounds are exact decimals."""

    integer: bool
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    exclusive_minimum: Decimal | None = None
    exclusive_maximum: Decimal | None = None
    multiple_of: Decimal | None = None

    def admits(self, value: JsonValue) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if isinstance(value, float) and not math.isfinite(value):
            return False
        number = Decimal(value) if isinstance(value, int) else Decimal(repr(value))
        return (
            not (self.integer and number != number.to_integral_value())
            and (self.minimum is None or number >= self.minimum)
            and (self.maximum is None or number <= self.maximum)
            and (self.exclusive_minimum is None or number > self.exclusive_minimum)
            and (self.exclusive_maximum is None or number < self.exclusive_maximum)
            and (self.multiple_of is None or is_multiple(number, self.multiple_of))
        )


@dataclass(frozen=True, slots=True)
class Text:
    """A string: a span of the utterance, or (``free``) any text within the bounds."""

    min_length: int = 0
    max_length: int | None = None
    patterns: tuple[str, ...] = ()
    format: str | None = None
    free: bool = False

    def admits(self, value: JsonValue) -> bool:
        """Length and patterns; a format is judged where times and addresses are known."""
        return (
            isinstance(value, str)
            and len(value) >= self.min_length
            and (self.max_length is None or len(value) <= self.max_length)
            and all(compiled(pattern).matches(value) for pattern in self.patterns)
        )

    @property
    def is_plain(self) -> bool:
        return self.min_length <= 1 and self.max_length is None and not self.patterns and not self.format


@dataclass(frozen=True, slots=True)
class Entity:
    """A custom type: only candidates of that type, from the caller or a recognizer."""

    type: str


@dataclass(frozen=True, slots=True)
class SlotLabel:
    """The label of a slot of the other functions."""


@dataclass(frozen=True, slots=True)
class ListOf:
    prefix: tuple[Schema, ...]
    items: Schema | None
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One named value of an object; the top-level ones are the slots."""

    name: str
    schema: Schema
    required: bool = False
    description: str = ""
    title: str = ""
    examples: tuple[str, ...] = ()
    """Texts that the schema gives as examples of its value."""


@dataclass(frozen=True, slots=True)
class Record:
    """An object of these members and no others."""

    members: tuple[Member, ...]
    min_properties: int = 0


@dataclass(frozen=True, slots=True)
class Union:
    """A value of one of the options (``exclusive``: of exactly one)."""

    options: tuple[Schema, ...]
    exclusive: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A recursive reference, by the JSON pointer of what it names."""

    pointer: str


Schema = Enumerated | Boolean | Null | Number | Text | Entity | SlotLabel | ListOf | Record | Union | Reference


def same_json(left: JsonValue, right: JsonValue) -> bool:
    """Equality of JSON values: ``true`` is not ``1``, ``1`` is ``1.0``, key order is nothing."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[k], right[k]) for k in left)
    return (type(left) in (int, float) and type(right) in (int, float) and left == right) or (
        type(left) is type(right) and left == right
    )


def json_key(value: JsonValue) -> str:
    """A text that is equal for equal JSON values; for sets and dictionaries."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return "[" + ",".join(map(json_key, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact_json(k)}:{json_key(v)}" for k, v in sorted(value.items())) + "}"
    return compact_json(value)


def is_multiple(number: Decimal, step: Decimal) -> bool:
    """Exactly: decimals as fractions, so that no digit is rounded away."""
    return Fraction(number) % Fraction(step) == 0


def walk(schema: Schema) -> Iterator[Schema]:
    """The schema and everything inside it; references are not followed."""
    yield schema
    match schema:
        case ListOf(prefix, items):
            inner: list[Schema] = [*prefix, *([items] if items is not None else [])]
        case Record(members):
            inner = [member.schema for member in members]
        case Union(options):
            inner = list(options)
        case _:
            inner = []
    for child in inner:
        yield from walk(child)
