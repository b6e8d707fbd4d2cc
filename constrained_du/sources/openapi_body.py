"""Takes a request body apart: a plain object into its members, anything else as one slot.

An object is plain if nothing but its properties says what is legal; ``allOf`` of plain
objects with different members is one too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.sources.openapi_schemas import Components
from constrained_du.sources.plain import child, described, kind

BODY = "body"
"""The slot that holds a body which is no plain object."""

_MAX_PARTS = 32
_NEUTRAL = frozenset(
    [
        "type",
        "properties",
        "required",
        "title",
        "description",
        "example",
        "examples",
        "default",
        "deprecated",
        "xml",
        "externalDocs",
        "discriminator",
        "nullable",
        "$comment",
        "additionalProperties",
        "$ref",
        "allOf",
        "readOnly",
        "writeOnly",
    ]
)
_PREFERRED = (
    "application/json",
    "+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
)


@dataclass(frozen=True, slots=True)
class Body:
    """``members``: name → (schema, its path, required); ``keywords``: what holds for all of them."""

    media_type: str | None
    members: dict[str, tuple[Any, str, bool]]
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Members:
    properties: dict[str, tuple[Any, str]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    keywords: dict[str, Any] = field(default_factory=dict)
    parts: int = 0


class _NotPlain(Exception):
    """The body cannot be told by its members alone."""


def read_body(components: Components, node: Any, path: str) -> Body:
    """What a ``requestBody`` contributes; without content it contributes nothing."""
    body, path = components.resolve(node, path)
    content = body.get("content")
    if not content:
        return Body(None, {})
    if not isinstance(content, dict):
        raise SpecError(child(path, "content"), f"content is {described(content)} - give an object")
    media_type = _media_type(content)
    place = child(child(path, "content"), media_type)
    media = content[media_type]
    if not isinstance(media, dict):
        raise SpecError(place, f"{described(media)} - give an object with a schema")
    if "schema" not in media:
        return Body(media_type, {})
    schema, place = media["schema"], child(place, "schema")
    optional = body.get("required") is False
    members = _Members()
    try:
        _collect(components, schema, place, members)
    except _NotPlain:
        return Body(media_type, {BODY: (_described(schema, body), place, not optional)})
    return Body(
        media_type,
        {
            name: (member, where, name in members.required and not optional)
            for name, (member, where) in members.properties.items()
        },
        members.keywords,
    )


def _media_type(content: dict[str, Any]) -> str:
    for wanted in _PREFERRED:
        for name in content:
            plain_name = name.partition(";")[0].strip().lower()
            if plain_name == wanted or (wanted == "+json" and plain_name.endswith(wanted)):
                return name
    return next(iter(content))


def _described(schema: Any, body: dict[str, Any]) -> Any:
    description = body.get("description")
    if isinstance(schema, dict) and isinstance(description, str) and "description" not in schema:
        return schema | {"description": description}
    return schema


def _collect(components: Components, schema: Any, path: str, members: _Members) -> None:
    members.parts += 1
    if members.parts > _MAX_PARTS or not isinstance(schema, dict):
        raise _NotPlain
    if "$ref" in schema and set(schema) - {"$ref", "description", "title"}:
        raise _NotPlain
    schema, path = components.resolve(schema, path)
    if any(key not in _NEUTRAL and not key.startswith("x-") for key in schema):
        raise _NotPlain
    if schema.get("type", "object") != "object" or not ("properties" in schema or "allOf" in schema):
        raise _NotPlain
    if schema.get("additionalProperties") not in (None, True, False, {}):
        raise _NotPlain
    _collect_own(schema, path, members)
    for index, part in enumerate(_list(schema.get("allOf"), child(path, "allOf"))):
        _collect(components, part, child(child(path, "allOf"), index), members)


def _collect_own(schema: dict[str, Any], path: str, members: _Members) -> None:
    properties = schema.get("properties") or {}
    if not isinstance(properties, dict):
        raise SpecError(child(path, "properties"), f"properties is {kind(properties)} - give an object")
    for name, member in properties.items():
        if isinstance(member, dict) and member.get("readOnly") is True:
            continue
        if name in members.properties and members.properties[name][0] != member:
            raise _NotPlain
        members.properties[name] = (member, child(child(path, "properties"), name))
    required = _list(schema.get("required"), child(path, "required"))
    members.required.update(name for name in required if isinstance(name, str))
    if isinstance(schema.get("additionalProperties"), bool):
        members.keywords["additionalProperties"] = schema["additionalProperties"]


def _list(value: Any, path: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise SpecError(path, f"{described(value)} - give a list")
    return value
