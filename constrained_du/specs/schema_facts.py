"""What can be told of schemas without any utterance: whether they exclude each other, are void, or finite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from math import ceil

from constrained_du.specs.schema import (
    Boolean,
    Enumerated,
    ListOf,
    Null,
    Number,
    Record,
    Reference,
    Schema,
    Text,
    Union,
    json_key,
)  # fmt: skip
from constrained_du.types import JsonValue

KindOf = Callable[[str], str | None]
"""The JSON type of what a recursive reference names, if it is certain."""


def are_disjoint(left: Schema, right: Schema, named: KindOf) -> bool:
    """Whether it is certain that no value fits both."""
    match left, right:
        case Union(options), _:
            return all(are_disjoint(option, right, named) for option in options)
        case _, Union():
            return are_disjoint(right, left, named)
        case Enumerated(values), Enumerated(others):
            return {json_key(value) for value in values}.isdisjoint({json_key(value) for value in others})
        case Enumerated(values), _:
            return all(_excludes(right, value, named) for value in values)
        case _, Enumerated():
            return are_disjoint(right, left, named)
        case Record(members), Record(others):
            theirs = {member.name: member for member in others}
            return any(
                m.required and m.name in theirs and theirs[m.name].required
                and are_disjoint(m.schema, theirs[m.name].schema, named)
                for m in members
            )  # fmt: skip
        case Number(), Number():
            return is_void(_both(left, right))
        case Text(), Text():
            return _bounds_exclude(left, right)
        case _:
            kinds = kind_of(left, named), kind_of(right, named)
            return None not in kinds and kinds[0] != kinds[1]


def _bounds_exclude(left: Text, right: Text) -> bool:
    return any(a.max_length is not None and a.max_length < b.min_length for a, b in ((left, right), (right, left)))


def _excludes(schema: Schema, value: JsonValue, named: KindOf) -> bool:
    """Whether it is certain that the value does not fit."""
    if isinstance(schema, Number | Text):
        return not schema.admits(value)
    kind = kind_of(schema, named)
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return kind is not None and kind != names.get(type(value), "null")


def kind_of(schema: Schema, named: KindOf) -> str | None:
    """The JSON type of all its values, if it is one."""
    match schema:
        case Boolean():
            return "boolean"
        case Null():
            return "null"
        case Number():
            return "number"
        case Text():
            return "string"
        case ListOf():
            return "array"
        case Record():
            return "object"
        case Reference(pointer):
            return named(pointer)
        case _:
            return None


def _both(left: Number, right: Number) -> Number:
    """The bounds of both; of two steps only the whole number is kept, so that it may be too wide."""
    def pick(choose: Callable[..., Decimal], one: Decimal | None, other: Decimal | None) -> Decimal | None:
        given = [bound for bound in (one, other) if bound is not None]
        return choose(given) if given else None

    return Number(
        left.integer or right.integer,
        pick(max, left.minimum, right.minimum),
        pick(min, left.maximum, right.maximum),
        pick(max, left.exclusive_minimum, right.exclusive_minimum),
        pick(min, left.exclusive_maximum, right.exclusive_maximum),
    )


def is_void(number: Number) -> bool:
    """Whether no number lies within the bounds."""
    lows = [b for b in (number.minimum, number.exclusive_minimum) if b is not None]
    highs = [b for b in (number.maximum, number.exclusive_maximum) if b is not None]
    if not lows or not highs:
        return False
    low, high = Fraction(max(lows)), Fraction(min(highs))
    if low > high:
        return True
    steps = [Fraction(step) for step in (number.multiple_of, 1 if number.integer else None) if step is not None]
    if not steps:
        return low == high and (low == _fraction(number.exclusive_minimum) or high == _fraction(number.exclusive_maximum))
    step = _common(steps)
    first = ceil(low / step) * step
    if first == _fraction(number.exclusive_minimum):
        first += step
    return first > high or first == _fraction(number.exclusive_maximum)


def _fraction(bound: Decimal | None) -> Fraction | None:
    return None if bound is None else Fraction(bound)


def _common(steps: list[Fraction]) -> Fraction:
    """The smallest number that is a multiple of all steps."""
    found = steps[0]
    for step in steps[1:]:
        found = found * step / Fraction(*_gcd(found, step))
    return found


def _gcd(left: Fraction, right: Fraction) -> tuple[int, int]:
    while right:
        left, right = right, left % right
    return left.numerator, left.denominator


def endless(definitions: Mapping[str, Schema]) -> list[str]:
    """The definitions that have no finite value, in order."""
    finite: set[str] = set()
    found = True
    while found:
        new = {name for name, schema in definitions.items() if name not in finite and _is_finite(schema, finite)}
        finite |= new
        found = bool(new)
    return [name for name in definitions if name not in finite]


def circular(definitions: Mapping[str, Schema]) -> list[str]:
    """The definitions that are one of their own options, with no list or object between."""
    next_to = {name: _bare_references(schema) for name, schema in definitions.items()}
    found: list[str] = []
    for name in definitions:
        stack, seen = list(next_to[name]), set[str]()
        while stack:
            other = stack.pop()
            if other not in seen:
                seen.add(other)
                stack.extend(next_to.get(other, ()))
        if name in seen:
            found.append(name)
    return found


def _bare_references(schema: Schema) -> list[str]:
    match schema:
        case Reference(pointer):
            return [pointer]
        case Union(options):
            return [name for option in options for name in _bare_references(option)]
        case _:
            return []


def _is_finite(schema: Schema, finite: Collection[str]) -> bool:
    match schema:
        case Reference(pointer):
            return pointer in finite
        case Record(members):
            return all(_is_finite(m.schema, finite) for m in members if m.required)
        case ListOf(prefix, items, least):
            needed = [*prefix[:least], *([items] if least > len(prefix) and items is not None else [])]
            return all(_is_finite(item, finite) for item in needed)
        case Union(options):
            return any(_is_finite(option, finite) for option in options)
        case _:
            return True
