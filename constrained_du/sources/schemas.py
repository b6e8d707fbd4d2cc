"""Walks JSON Schema without judging it: which members hold schemas, where ``$ref`` points.

Enum values, constants, defaults and examples are data and never walked into, whatever
keys they have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.sources.plain import child, show

_MAPS = frozenset(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
_LISTS = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
_ONES = frozenset(
    [
        "items",
        "additionalItems",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contains",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
    ]
)

Convert = Callable[[Any, str], Any]
"""Takes a schema and its path, returns what stands in its place."""


def map_subschemas(schema: dict[str, Any], path: str, convert: Convert) -> dict[str, Any]:
    """A copy of the schema with each schema directly below it converted."""
    return {key: _mapped(key, value, child(path, key), convert) for key, value in schema.items()}


def _mapped(key: str, value: Any, path: str, convert: Convert) -> Any:
    if key in _MAPS and isinstance(value, dict):
        return {name: convert(member, child(path, name)) for name, member in value.items()}
    if (key in _LISTS or key == "items") and isinstance(value, list):
        return [convert(item, child(path, index)) for index, item in enumerate(value)]
    if key in _ONES and isinstance(value, dict):
        return convert(value, path)
    return value


def pointer_keys(pointer: str) -> list[str]:
    """The steps of a local JSON pointer (``#/$defs/a~1b`` gives ``$defs``, ``a/b``)."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def definition_pointer(name: str) -> str:
    """The reference that names one of ``$defs``."""
    return "#/$defs/" + name.replace("~", "~0").replace("/", "~1")


def move_definitions(schema: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema with draft 7's ``definitions`` under ``$defs`` and its references rewritten."""
    older = schema.get("definitions")
    if not isinstance(older, dict):
        return schema
    newer = schema.get("$defs") or {}
    both = [name for name in older if isinstance(newer, dict) and name in newer]
    if both:
        raise SpecError(child(path, "definitions"), f"{show(both[0])} is in $defs too - keep one of them")
    rest = {key: value for key, value in schema.items() if key != "definitions"}
    rest["$defs"] = {**newer, **older} if isinstance(newer, dict) else newer
    moved = _rewrite(rest, path)
    assert isinstance(moved, dict)
    return moved


def _rewrite(schema: Any, path: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    copied = map_subschemas(schema, path, _rewrite)
    pointer = copied.get("$ref")
    if isinstance(pointer, str) and pointer.startswith("#/definitions/"):
        copied["$ref"] = "#/$defs/" + pointer.removeprefix("#/definitions/")
    return copied


def inline_top_reference(schema: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema with a ``$ref`` at its very top followed, as recursive pydantic models write it."""
    for _ in range(8):
        pointer = schema.get("$ref")
        if not isinstance(pointer, str):
            return schema
        target: Any = schema
        for key in pointer_keys(pointer) if pointer.startswith("#/") else [""]:
            target = target.get(key) if isinstance(target, dict) else None
        if not isinstance(target, dict):
            raise SpecError(
                child(path, "$ref"), f"{show(pointer)} names nothing here - define it under $defs"
            )
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    raise SpecError(child(path, "$ref"), f"{show(pointer)} leads in a circle - name a schema with properties")
