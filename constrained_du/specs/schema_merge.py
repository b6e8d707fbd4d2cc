"""``allOf`` and the siblings of ``$ref`` and unions: one schema that holds where all parts hold.

Works on schemas as they were written. What cannot be merged exactly is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from constrained_du.errors import SpecError, UnsupportedSchemaError
from constrained_du.specs.schema import json_key, same_json
from constrained_du.specs.schema_instances import decimal, shown

MAX_OPTIONS = 200  # of two unions multiplied out

ANNOTATIONS = frozenset(
    "title description examples example default deprecated readOnly writeOnly $comment $id $schema $anchor "
    "externalDocs xml discriminator contentMediaType contentEncoding $defs definitions".split()
)


Warn = Callable[[str, str], None]
"""Called with a JSON path and a sentence."""


class NoValueError(SpecError):
    """A schema that no value at all fits: an error, unless it is one option of several."""


class AllPatterns(tuple[str, ...]):
    """Patterns that must all match; JSON Schema has no notation for it within one schema."""

    __slots__ = ()


def merge(parts: list[Any], path: str, warn: Warn) -> dict[str, Any]:
    """One schema for all parts. Raises NoValueError if they exclude each other."""
    merged: dict[str, Any] = {}
    gone: set[str] = set()
    for part in parts:
        if part is True:
            continue
        if not isinstance(part, Mapping):
            raise SpecError(path, f"a schema is an object, not {shown(part)}")
        _merge_into(merged, _without_nullable(part), path, gone)
    for name in sorted(gone):
        if name in merged.get("required", ()):
            raise NoValueError(f"{path}.required", f"{name!r} is required, and additionalProperties rules it out")
        warn(f"{path}.properties.{name}", f"additionalProperties beside it rules {name!r} out; left out")
    return merged


def _without_nullable(part: Mapping[str, Any]) -> dict[str, Any]:
    """OpenAPI's ``nullable`` beside a type as a type list, so that types can meet."""
    given = part.get("type")
    if part.get("nullable") is not True or given is None:
        return dict(part)
    kinds = given if isinstance(given, list) else [given]
    return {k: v for k, v in part.items() if k != "nullable"} | {"type": [*kinds, *(["null"] if "null" not in kinds else [])]}


def _merge_into(merged: dict[str, Any], part: dict[str, Any], path: str, gone: set[str]) -> None:
    for one, other in ((merged, part), (part, merged)):
        if "prefixItems" in one and "items" in other and "prefixItems" not in other:
            raise UnsupportedSchemaError(f"{path}.prefixItems", "allOf of prefixItems and items is not supported")
    if "properties" in merged or "properties" in part:
        merged["properties"] = _properties(merged, part, path, gone)
        part = {k: v for k, v in part.items() if k != "properties"}
    for keyword, value in part.items():
        if keyword not in merged:
            merged[keyword] = value
        elif keyword not in ANNOTATIONS and not _is_same(merged[keyword], value):
            merged[keyword] = _combined(keyword, merged[keyword], value, path)


def _is_same(left: Any, right: Any) -> bool:
    try:
        return same_json(left, right)
    except RecursionError:
        return False


def _properties(left: Mapping[str, Any], right: Mapping[str, Any], path: str, gone: set[str]) -> dict[str, Any]:
    """Each property under all that the parts say of it, ``additionalProperties`` included."""
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    if not isinstance(ours, Mapping) or not isinstance(theirs, Mapping):
        raise SpecError(f"{path}.properties", "properties is an object of name and schema")
    found: dict[str, Any] = {}
    for name in dict.fromkeys([*ours, *theirs]):
        parts = [
            mine[name] if name in mine else side.get("additionalProperties", True)
            for mine, side in ((ours, left), (theirs, right))
        ]
        parts = [part for part in parts if part is not True and part != {}] or [{}]
        if any(part is False for part in parts):
            gone.add(name)
            continue
        found[name] = parts[0] if len(parts) == 1 or _is_same(*parts) else {"allOf": parts}
    return found


def _combined(keyword: str, left: Any, right: Any, path: str) -> Any:
    """The keyword's value under which both hold."""
    here = f"{path}.{keyword}"
    if keyword not in _COMBINE:
        raise UnsupportedSchemaError(here, f"allOf with two different {keyword} is not supported - merge them by hand")
    try:
        return _COMBINE[keyword](left, right, here)
    except (TypeError, AttributeError, ValueError):
        raise SpecError(here, f"allOf cannot merge {shown(left)} and {shown(right)}") from None


def _kinds(left: Any, right: Any, here: str) -> list[str]:
    first = left if isinstance(left, list) else [left]
    second = right if isinstance(right, list) else [right]
    met = [kind for kind in first if kind in second]
    if "integer" not in met and (("integer" in first and "number" in second) or ("number" in first and "integer" in second)):
        met.append("integer")
    if not met:
        raise NoValueError(here, f"allOf of {shown(left)} and {shown(right)} - no value is both")
    return met


def _enum(left: Any, right: Any, here: str) -> list[Any]:
    known = {json_key(value) for value in right}
    met = [value for value in left if json_key(value) in known]
    if not met:
        raise NoValueError(here, f"no value is in both {shown(left)} and {shown(right)}")
    return met


def _const(left: Any, right: Any, here: str) -> Any:
    raise NoValueError(here, f"no value is both {shown(left)} and {shown(right)}")


def _multiple(left: Any, right: Any, here: str) -> Any:
    one, other = Fraction(decimal(left)), Fraction(decimal(right))
    step = Fraction(lcm(one.numerator * other.denominator, other.numerator * one.denominator),
                    one.denominator * other.denominator)  # fmt: skip
    return decimal(step.numerator) / decimal(step.denominator)


def _pattern(left: Any, right: Any, here: str) -> AllPatterns:
    sides = [side if isinstance(side, AllPatterns) else (side,) for side in (left, right)]
    return AllPatterns(dict.fromkeys([*sides[0], *sides[1]]))


def _options(left: Any, right: Any, here: str) -> list[Any]:
    if len(left) * len(right) > MAX_OPTIONS:
        raise UnsupportedSchemaError(here, f"unions of {len(left)} and {len(right)} options together are too many")
    return [{"allOf": [one, other]} for one in left for other in right]


def _both(left: Any, right: Any, here: str) -> Any:
    if isinstance(left, bool) or isinstance(right, bool):
        return False if left is False or right is False else right if left is True else left
    return {"allOf": [left, right]}


def _tightest(choose: Callable[..., Any]) -> Callable[[Any, Any, str], Any]:
    return lambda left, right, here: choose(left, right)


_COMBINE: Mapping[str, Callable[[Any, Any, str], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _tightest(max)),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), _tightest(min)),
    **dict.fromkeys(("anyOf", "oneOf"), _options),
    "uniqueItems": _tightest(lambda a, b: a or b),
    "nullable": _tightest(lambda a, b: a and b),
    "additionalProperties": _both,
    "required": _tightest(lambda a, b: list(dict.fromkeys([*a, *b]))),
    "allOf": _tightest(lambda a, b: [*a, *b]),
    "items": _both,
    "type": _kinds,
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple,
    "pattern": _pattern,
}
