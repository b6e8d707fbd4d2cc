"""The keywords of JSON Schema that are obeyed, which types they speak of, and how their values are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from constrained_du.errors import SpecError, UnsupportedSchemaError
from constrained_du.patterns.patterns import PatternError, bounded_automaton, compiled
from constrained_du.specs.schema import FORMATS, JSON_TYPES, MAX_FREE_STATES, MAX_TEXT, Text
from constrained_du.specs.schema_instances import decimal, shown
from constrained_du.specs.schema_merge import ANNOTATIONS, AllPatterns, NoValueError, Warn

_NUMERIC = ("integer", "number")
KINDS_OF: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "x-value"), ("string",)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMERIC),
    "format": ("string", *_NUMERIC),
    **dict.fromkeys(("items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems"), ("array",)),
    **dict.fromkeys(("properties", "required", "additionalProperties", "minProperties"), ("object",)),
}
"""The types that a keyword says something about."""

_STRUCTURAL = frozenset("type enum const anyOf oneOf allOf $ref nullable".split())
_OWN = frozenset(("clarification", "prompt", "prompts"))  # ours, beside the schema's own; x-… are anybody's
_BITS = (8, 16, 32, 64)
_INT_RANGES = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in _BITS}
_INT_RANGES |= {f"uint{bits}": (0, 2**bits - 1) for bits in _BITS}
FORMAT_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(FORMATS, ("string",)),
    **dict.fromkeys(_INT_RANGES, _NUMERIC),
    **dict.fromkeys(("float", "double", "decimal"), ("number", "integer")),
}
"""The types that a format says something about."""


def check_keywords(raw: Mapping[str, Any], path: str) -> None:
    """Raises UnsupportedSchemaError for the first keyword that would be ignored."""
    for keyword in raw:
        if not isinstance(keyword, str):
            raise SpecError(path, f"a keyword is text, not {shown(keyword)}")
        known = keyword in ANNOTATIONS or keyword in _STRUCTURAL or keyword in KINDS_OF or keyword in _OWN
        if not known and not keyword.startswith("x-"):
            raise UnsupportedSchemaError(
                f"{path}.{keyword}", f"the keyword {keyword!r} is not supported - leave it out or check it in your code"
            )
    if not isinstance(raw.get("nullable", False), bool):
        raise SpecError(f"{path}.nullable", f"nullable is true or false, not {shown(raw['nullable'])}")


def number_bound(raw: Mapping[str, Any], keyword: str, path: str) -> Decimal | None:
    if keyword not in raw:
        return None
    value = raw[keyword]
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not math.isfinite(value):
        raise SpecError(f"{path}.{keyword}", f"{keyword} is a number, not {shown(value)}")
    return decimal(value)


def int_range(format: object) -> tuple[Decimal | None, Decimal | None]:
    """The bounds that ``int32`` and its like set."""
    low, high = _INT_RANGES.get(format, (None, None)) if isinstance(format, str) else (None, None)
    return (None, None) if low is None or high is None else (Decimal(low), Decimal(high))


def count(raw: Mapping[str, Any], keyword: str, path: str) -> int | None:
    if keyword not in raw:
        return None
    value = raw[keyword]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SpecError(f"{path}.{keyword}", f"{keyword} is a whole number from 0, not {shown(value)}")
    return value


def text_of(raw: Mapping[str, Any], path: str, strings_free: bool) -> Text:
    """A string's bounds. A pattern that cannot be worked out is refused here, not at an utterance."""
    least, most = count(raw, "minLength", path) or 0, count(raw, "maxLength", path)
    if most is not None and least > most:
        raise NoValueError(path, f"minLength {least} is above maxLength {most} - no text fits")
    given = raw.get("pattern", ())
    patterns = tuple(given) if isinstance(given, AllPatterns | tuple) else (given,)
    for pattern in patterns:
        _check_pattern(pattern, f"{path}.pattern")
    value = raw.get("x-value", "free" if strings_free else "verbatim")
    if value not in ("free", "verbatim"):
        raise SpecError(f"{path}.x-value", f'x-value is "free" or "verbatim", not {shown(value)}')
    kind = raw.get("format") if raw.get("format") in FORMATS else None
    free = value == "free" and kind is None
    if free and "enum" not in raw and "const" not in raw:
        _check_free(patterns, least, MAX_TEXT if most is None else most, path)
    return Text(least, most, patterns, kind, free)


def _check_pattern(pattern: object, path: str) -> None:
    if not isinstance(pattern, str):
        raise SpecError(path, f"a pattern is text, not {shown(pattern)}")
    try:
        compiled(pattern)
    except PatternError as problem:
        raise UnsupportedSchemaError(path, f"the pattern {shown(pattern)} has {problem}") from None


def _check_free(patterns: tuple[str, ...], least: int, most: int, path: str) -> None:
    if least > most:
        raise NoValueError(path, f"minLength {least} is above the {most} characters of free text - set maxLength")
    if not patterns:
        return
    try:
        automaton = bounded_automaton(patterns, least, most, MAX_FREE_STATES)
    except PatternError as problem:
        raise UnsupportedSchemaError(f"{path}.pattern", f"free text with {problem}") from None
    if automaton.is_empty:
        raise NoValueError(f"{path}.pattern", f"no text of {least} to {most} characters matches - widen the bounds")


def kinds_said(raw: Mapping[str, Any], path: str) -> tuple[list[str], bool]:
    """The types, and whether the schema says so itself."""
    given = raw.get("type")
    if isinstance(given, str) and given:
        return [given], True
    if isinstance(given, list) and given and all(isinstance(kind, str) and kind for kind in given):
        return list(dict.fromkeys(given)), True
    if given is not None or "type" in raw:
        raise SpecError(f"{path}.type", f"a type is a name or a list of names, not {shown(given)}")
    found = dict.fromkeys(KINDS_OF[keyword][0] for keyword in raw if keyword in KINDS_OF and keyword != "format")
    kinds = ["number" if kind == "integer" else kind for kind in found]
    if isinstance(raw.get("format"), str):
        kinds += [kind for kind in FORMAT_KINDS.get(raw["format"], ("string",))[:1] if kind not in kinds]
    if kinds or "enum" in raw or "const" in raw:
        return kinds, False
    return ["number", "string"], False  # what can be said: a number, or words


def check_format(raw: Mapping[str, Any], kinds: list[str], path: str, warn: Warn) -> None:
    """Refuses a format that is not obeyed; warns of one that says nothing about these types."""
    if "format" not in raw:
        return
    given = raw["format"]
    if not isinstance(given, str) or given not in FORMAT_KINDS:
        raise UnsupportedSchemaError(
            f"{path}.format", f"the format {shown(given)} is not supported - use one of {', '.join(FORMATS)}"
        )
    if not set(FORMAT_KINDS[given]) & set(kinds) and set(kinds) <= set(JSON_TYPES):
        if kinds == ["string"]:
            raise UnsupportedSchemaError(f"{path}.format", f"the format {given!r} is not supported for a string")
        warn(f"{path}.format", f"the format {given!r} says nothing about {' or '.join(kinds)}")


def resolved(document: Mapping[str, Any], pointer: object, path: str) -> object:
    """What a ``$ref`` names in the document."""
    if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
        raise UnsupportedSchemaError(path, f"the $ref {shown(pointer)} is no pointer into this document - inline it")
    target: object = document
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and key not in target:
            key = unquote(key)
        if isinstance(target, Mapping) and key in target:
            target = target[key]
        elif isinstance(target, list) and key.isdecimal() and int(key) < len(target):
            target = target[int(key)]
        else:
            raise SpecError(path, f"the $ref {pointer!r} names nothing in this document")
    return target
