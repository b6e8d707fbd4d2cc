"""Whether a JSON value fits a schema as it was written: the judge of enums' own values.

Plain JSON Schema, objects open unless they say otherwise. Reads only keywords that
``schema_reader`` has checked already; custom types hold any value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.patterns.patterns import compiled
from constrained_du.specs.schema import JSON_TYPES, Number, json_key, same_json
from constrained_du.types import JsonValue

MAX_DEPTH = 48  # deeper than any spec seen; keeps recursion far from Python's limit

Resolve = Callable[[str], object]
"""What a ``$ref`` pointer names."""


def is_instance(value: JsonValue, raw: object, resolve: Resolve, depth: int = 0) -> bool:
    """Whether the schema ``raw`` has ``value``. Endless references count as fitting."""
    if isinstance(raw, bool):
        return raw
    if depth > 2 * MAX_DEPTH or not isinstance(raw, Mapping):
        return True

    def fits(inner: JsonValue, schema: object) -> bool:
        return is_instance(inner, schema, resolve, depth + 1)

    if value is None and raw.get("nullable") is True and "$ref" not in raw:
        return "enum" not in raw or None in raw["enum"]
    return (
        all(fits(value, resolve(raw[key])) for key in ("$ref",) if key in raw)
        and all(fits(value, part) for part in raw.get("allOf", ()))
        and any(fits(value, option) for option in raw.get("anyOf", (True,)))
        and sum(fits(value, option) for option in raw.get("oneOf", (True,))) == 1
        and _is_listed(value, raw)
        and _is_of_type(value, raw.get("type"))
        and _is_bounded(value, raw, fits)
    )


def _is_listed(value: JsonValue, raw: Mapping[str, Any]) -> bool:
    if "const" in raw and not same_json(value, raw["const"]):
        return False
    return "enum" not in raw or any(same_json(value, other) for other in raw["enum"])


def _is_of_type(value: JsonValue, given: object) -> bool:
    kinds = given if isinstance(given, list) else [given]
    return any(kind not in JSON_TYPES or is_of_kind(value, kind) for kind in kinds)


def is_of_kind(value: JsonValue, kind: str) -> bool:
    """Whether it is of a JSON type; ``2.0`` is an integer."""
    match kind:
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return Number(kind == "integer").admits(value)


def _is_bounded(value: JsonValue, raw: Mapping[str, Any], fits: Callable[[JsonValue, object], bool]) -> bool:
    match value:
        case bool() | None:
            return True
        case int() | float():
            names = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
            return Number(False, *(decimal(raw[name]) if name in raw else None for name in names)).admits(value)
        case str():
            given = raw.get("pattern", ())
            patterns = (given,) if isinstance(given, str) else given
            return _is_between(len(value), raw, "Length") and all(compiled(p).matches(value) for p in patterns)
        case list():
            return _is_between(len(value), raw, "Items") and _items_fit(value, raw, fits)
        case _:
            return len(value) >= raw.get("minProperties", 0) and _members_fit(value, raw, fits)


def decimal(value: int | float | Decimal) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _is_between(count: int, raw: Mapping[str, Any], what: str) -> bool:
    return bool(raw.get(f"min{what}", 0) <= count <= raw.get(f"max{what}", math.inf))


def _items_fit(value: list[JsonValue], raw: Mapping[str, Any], fits: Callable[[JsonValue, object], bool]) -> bool:
    prefix, rest = raw.get("prefixItems", []), raw.get("items", True)
    if isinstance(rest, list):
        prefix, rest = rest, raw.get("additionalItems", True)
    if raw.get("uniqueItems") and len({json_key(item) for item in value}) < len(value):
        return False
    schemas = [*prefix[: len(value)], *[rest] * (len(value) - len(prefix))]
    return all(fits(item, schema) for item, schema in zip(value, schemas, strict=True))


def _members_fit(value: dict[str, JsonValue], raw: Mapping[str, Any], fits: Callable[[JsonValue, object], bool]) -> bool:
    properties, required = raw.get("properties", {}), raw.get("required", [])
    if isinstance(required, list) and not all(name in value for name in required):
        return False
    extra = raw.get("additionalProperties", True)
    return all(fits(item, properties.get(name, extra)) for name, item in value.items())


def check_json(value: object, path: str, depth: int = 0) -> None:
    """Raises SpecError for what JSON cannot say, or what is too deep to compare."""
    if depth > MAX_DEPTH:
        raise SpecError(shortened(path), f"a value nested deeper than {MAX_DEPTH}")
    if isinstance(value, str) and has_surrogates(value):
        raise SpecError(path, f"the value {value!r} holds half a surrogate pair")
    if isinstance(value, float) and not math.isfinite(value):
        raise SpecError(path, f"{value} is no JSON number")
    if isinstance(value, list):
        for index, item in enumerate(value):
            check_json(item, f"{path}[{index}]", depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or has_surrogates(key):
                raise SpecError(path, f"a key is text, not {shown(key)}")
            check_json(item, f"{path}.{key}", depth + 1)
    elif not isinstance(value, str | int | float | bool | None):
        raise SpecError(path, f"{shown(value)} is no JSON value")


def has_surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def shortened(path: str) -> str:
    return path if len(path) <= 200 else f"{path[:120]}…{path[-60:]}"
