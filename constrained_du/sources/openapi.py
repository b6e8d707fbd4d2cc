"""Reads an OpenAPI 3.0 or 3.1 document: one function for each operation.

Slots are the operation's parameters (path item's included) and the members of its request
body; a body that is no plain object becomes the one slot ``body``. Where a name occurs in
several places, the first of path, query, header, cookie, body keeps it and the others are
called ``query_id``, ``header_id``, …, ``body_id`` (``body_id_2`` if that is taken too).
``extras["x-http"]`` says how to make the request: method, path, and each slot's place and name.

Headers that the HTTP client sets itself (Accept, Content-Type, Authorization) are left out, as
OpenAPI rules; so are ``readOnly`` members of a body. Required members of a body are required
unless the body is explicitly optional (``required: false``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.sources.openapi_body import read_body
from constrained_du.sources.openapi_schemas import Components
from constrained_du.sources.plain import check_text, child, described, plain, show
from constrained_du.sources.raw import RawFunction, Report, names_from_label, read_description, reporting

_METHODS = frozenset(["get", "put", "post", "delete", "options", "head", "patch", "trace"])
_PLACES = ("path", "query", "header", "cookie", "body")
_TRANSPORT_HEADERS = frozenset({"accept", "content-type", "authorization"})


def is_openapi(document: Mapping[str, Any]) -> bool:
    """Whether the object is an OpenAPI (or Swagger) document."""
    if "label" in document or "name" in document:
        return False
    return "openapi" in document or "swagger" in document or isinstance(document.get("paths"), Mapping)


def read_openapi(source: Mapping[str, Any], path: str, report: Report) -> Iterator[RawFunction]:
    """The document's operations in its own order."""
    with reporting(report):
        document: dict[str, Any] = plain(source, path)
        _check_version(document, path)
        components = Components(document)
        for route, item in _object(document.get("paths", {}), child(path, "paths")).items():
            if route.startswith("x-"):
                continue
            here = child(child(path, "paths"), route)
            with reporting(report):
                resolved, here = components.resolve(item, here)
                for method in resolved:
                    if method.lower() in _METHODS:
                        with reporting(report):
                            yield _operation(components, resolved, route, method, here)


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    place: str
    schema: Any
    required: bool


@dataclass(slots=True)
class _Request:
    """What an operation takes, while it is being read."""

    slots: list[_Slot] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    media_type: str | None = None
    keywords: dict[str, Any] = field(default_factory=dict)


def _check_version(document: dict[str, Any], path: str) -> None:
    if "swagger" in document:
        raise SpecError(
            child(path, "swagger"),
            f"Swagger {show(document['swagger'])} is not read - convert it to OpenAPI 3",
        )
    version = str(document.get("openapi", "3.1"))
    if not version.startswith("3."):
        raise SpecError(
            child(path, "openapi"), f"OpenAPI {show(version)} is not read - give a 3.0 or 3.1 document"
        )


def _operation(
    components: Components, item: dict[str, Any], route: str, method: str, path: str
) -> RawFunction:
    here = child(path, method)
    operation = _object(item[method], here)
    label, names = _label(operation, route, method, here)
    request = _Request()
    for parameter, place in _parameters(components, item, operation, path, here):
        _add_parameter(components, request, parameter, place)
    if operation.get("requestBody") is not None:
        _add_body(components, request, operation["requestBody"], child(here, "requestBody"))
    named = _named(request.slots)
    description = operation.get("description") or operation.get("summary")
    return RawFunction(
        path=here,
        label=label,
        names=names,
        description=read_description(description, child(here, "description")),
        parameters={
            "type": "object",
            "properties": {name: slot.schema for name, slot in named.items()},
            "required": [name for name, slot in named.items() if slot.required],
            "$defs": components.closure(request.used),
        }
        | request.keywords,
        parameters_path=here,
        extras=_extras(operation, route, method, named, request.media_type),
    )


def _label(operation: dict[str, Any], route: str, method: str, path: str) -> tuple[str, tuple[str, ...]]:
    """The operation's id, or ``get /pets/{id}``; a summary serves as one more human name."""
    summary = operation.get("summary")
    title = summary.strip().rstrip(".") if isinstance(summary, str) else ""
    if operation.get("operationId") is None:
        label = check_text(f"{method.lower()} {route}", path, "path")
        return label, (title,) if title else names_from_label(label)
    label = check_text(operation["operationId"], child(path, "operationId"), "operationId")
    names = names_from_label(label)
    extra = title and operation.get("description") and title.casefold() != names[0].casefold()
    return label, (*names, title) if extra else names


def _parameters(
    components: Components, item: dict[str, Any], operation: dict[str, Any], item_path: str, path: str
) -> Iterator[tuple[dict[str, Any], str]]:
    """The parameters that hold: the path item's, replaced by the operation's of like name and place."""
    found: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
    for owner, owner_path in ((item, item_path), (operation, path)):
        listed = owner.get("parameters") or []
        here = child(owner_path, "parameters")
        if not isinstance(listed, list):
            raise SpecError(here, f"parameters is {described(listed)} - give a list")
        for index, entry in enumerate(listed):
            parameter, place = components.resolve(entry, child(here, index))
            name = check_text(parameter.get("name"), child(place, "name"), "parameter's name")
            where = parameter.get("in")
            if where not in _PLACES[:4]:
                raise SpecError(
                    child(place, "in"), f"{show(where)} is no place - use path, query, header or cookie"
                )
            found[name, where] = (parameter, place)
    yield from found.values()


def _add_parameter(components: Components, request: _Request, parameter: dict[str, Any], path: str) -> None:
    name, place = parameter["name"], parameter["in"]
    if place == "header" and name.lower() in _TRANSPORT_HEADERS:
        return
    raw, raw_path = _parameter_schema(parameter, path)
    schema = components.convert(raw, raw_path, request.used)
    if schema is True:
        schema = {}
    if isinstance(schema, dict):
        description = read_description(parameter.get("description"), child(path, "description"))
        notes: dict[str, Any] = {"description": description} if description else {}
        if "example" in parameter:
            notes["examples"] = [parameter["example"]]
        if parameter.get("deprecated") is True:
            notes["deprecated"] = True
        schema = schema | notes
    required = place == "path" or parameter.get("required") is True
    request.slots.append(_Slot(name, place, schema, required))


def _parameter_schema(parameter: dict[str, Any], path: str) -> tuple[Any, str]:
    if "schema" in parameter:
        return parameter["schema"], child(path, "schema")
    content = parameter.get("content")
    if isinstance(content, dict) and content:
        media_type, media = next(iter(content.items()))
        place = child(child(path, "content"), media_type)
        return _object(media, place).get("schema", {"type": "string"}), child(place, "schema")
    raise SpecError(path, f"the parameter {show(parameter['name'])} has no schema - give it one")


def _add_body(components: Components, request: _Request, node: Any, path: str) -> None:
    body = read_body(components, node, path)
    request.media_type = body.media_type
    for name, (schema, place, required) in body.members.items():
        request.slots.append(_Slot(name, "body", components.convert(schema, place, request.used), required))
    request.keywords.update(body.keywords)


def _named(slots: list[_Slot]) -> dict[str, _Slot]:
    """The slots under distinct names, in their own order."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    wanted = {slot.name for slot in slots}
    for index in sorted(range(len(slots)), key=lambda i: _PLACES.index(slots[i].place)):
        slot = slots[index]
        name = slot.name
        count = 1
        while name in taken or (name != slot.name and name in wanted):
            name = f"{slot.place}_{slot.name}" + (f"_{count}" if count > 1 else "")
            count += 1
        taken.add(name)
        names[index] = name
    return {names[index]: slot for index, slot in enumerate(slots)}


def _extras(
    operation: dict[str, Any], route: str, method: str, named: dict[str, _Slot], media_type: str | None
) -> dict[str, Any]:
    http: dict[str, Any] = {
        "method": method.lower(),
        "path": route,
        "slots": {name: {"in": slot.place, "name": slot.name} for name, slot in named.items()},
    }
    if media_type is not None:
        http["media_type"] = media_type
    extensions = {key: value for key, value in operation.items() if key.startswith("x-")}
    return {"x-http": http} | extensions


def _object(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SpecError(path, f"{described(value)} - give an object")
    return value
