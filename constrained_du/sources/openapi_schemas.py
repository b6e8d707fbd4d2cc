"""Resolves an OpenAPI document's references and turns its schemas into plain JSON Schema.

OpenAPI 3.0's dialect differs from JSON Schema in ``nullable``, in boolean exclusive bounds
and in ``example``; 3.1's is JSON Schema. Both are converted by the same rules, which leave
3.1 as it is. Documentation that no value depends on (``xml``, ``externalDocs``,
``discriminator``) is dropped. References outside the document are refused.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from constrained_du.errors import SpecError
from constrained_du.sources.plain import child, described, show
from constrained_du.sources.schemas import definition_pointer, map_subschemas, pointer_keys

_DROPPED = frozenset({"xml", "externalDocs", "discriminator", "nullable", "example"})
_BOUNDS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_MAX_HOPS = 16


class Components:
    """The schemas that a document's references name, under names of their own.

    A component keeps its name (``#/components/schemas/Pet`` is ``Pet``); a pointer to
    elsewhere is named after its last step, with a number where that is taken.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self._pointers: dict[str, str] = {}
        self._converted: dict[str, tuple[Any, tuple[str, ...]]] = {}

    def resolve(self, node: Any, path: str) -> tuple[dict[str, Any], str]:
        """The object that ``node`` is or refers to, and the path where it stands."""
        for _ in range(_MAX_HOPS):
            if not isinstance(node, dict):
                raise SpecError(path, f"{described(node)} - give an object")
            if "$ref" not in node:
                return node, path
            reference = node["$ref"]
            node, path = self._target(reference, child(path, "$ref")), _path(reference)
        raise SpecError(path, "a $ref leads in a circle - name what it stands for")

    def convert(self, schema: Any, path: str, used: list[str]) -> Any:
        """The schema in JSON Schema's terms; the names of what it refers to are added to ``used``."""
        if not isinstance(schema, dict):
            if isinstance(schema, bool):
                return schema
            raise SpecError(path, f"{described(schema)} - a schema is an object")
        inner = map_subschemas(schema, path, lambda member, place: self.convert(member, place, used))
        if "$ref" in inner:
            name = self._name(inner["$ref"], child(path, "$ref"))
            used.append(name)
            inner["$ref"] = definition_pointer(name)
        return _nullable(schema, _bounded(_annotated(schema, inner), path))

    def closure(self, used: list[str]) -> dict[str, Any]:
        """The definitions that these names need, with all that those need in turn."""
        definitions: dict[str, Any] = {}
        waiting = list(dict.fromkeys(used))
        while waiting:
            name = waiting.pop(0)
            if name not in definitions:
                definitions[name], more = self._definition(name)
                waiting.extend(more)
        return definitions

    def _definition(self, name: str) -> tuple[Any, tuple[str, ...]]:
        if name not in self._converted:
            reference = self._pointers[name]
            used: list[str] = []
            schema = self.convert(self._target(reference, _path(reference)), _path(reference), used)
            self._converted[name] = (schema, tuple(used))
        return self._converted[name]

    def _name(self, reference: Any, path: str) -> str:
        self._target(reference, path)
        if reference not in self._names:
            step = unquote(pointer_keys(reference)[-1]) or "schema"
            name, count = step, 1
            while name in self._pointers:
                count += 1
                name = f"{step}_{count}"
            self._names[reference], self._pointers[name] = name, reference
        return self._names[reference]

    def _target(self, reference: Any, path: str) -> Any:
        if not isinstance(reference, str):
            raise SpecError(path, f"the $ref is {described(reference)} - write it as a text")
        if not reference.startswith("#/"):
            raise SpecError(
                path, f"the $ref {show(reference)} leaves the document - put what it names into components"
            )
        for pointer in (reference, unquote(reference)):
            target = self._follow(pointer)
            if target is not None:
                return target
        raise SpecError(
            path, f"the $ref {show(reference)} names nothing in the document - define it or mend the name"
        )

    def _follow(self, pointer: str) -> Any:
        target: Any = self._document
        for key in pointer_keys(pointer):
            if isinstance(target, dict):
                target = target.get(key)
            elif isinstance(target, list) and key.isascii() and key.isdigit() and int(key) < len(target):
                target = target[int(key)]
            else:
                return None
        return target


def _path(reference: str) -> str:
    path = "$"
    for key in pointer_keys(reference):
        path = child(path, key)
    return path


def _annotated(schema: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in inner.items() if key not in _DROPPED}
    if "example" in schema and "examples" not in schema:
        kept["examples"] = [schema["example"]]
    if kept.get("format") == "password":
        del kept["format"]
    return kept


def _bounded(schema: dict[str, Any], path: str) -> dict[str, Any]:
    for exclusive, inclusive in _BOUNDS:
        flag = schema.get(exclusive)
        if flag is False:
            del schema[exclusive]
        elif flag is True:
            if inclusive not in schema:
                raise SpecError(
                    child(path, exclusive), f"true without {inclusive} - write the bound as a number"
                )
            schema[exclusive] = schema.pop(inclusive)
    return schema


def _nullable(schema: dict[str, Any], converted: dict[str, Any]) -> dict[str, Any]:
    """3.0's ``nullable: true`` as a type list with null; beside a reference or union, as one more option."""
    if schema.get("nullable") is not True:
        return converted
    types = converted.get("type")
    if isinstance(types, str):
        return converted | {"type": [types, "null"]}
    if isinstance(types, list):
        return converted if "null" in types else converted | {"type": [*types, "null"]}
    if any(key in converted for key in ("$ref", "allOf", "anyOf", "oneOf", "enum")):
        notes = {
            key: converted.pop(key)
            for key in ("title", "description", "examples", "default")
            if key in converted
        }
        return {"anyOf": [converted, {"type": "null"}]} | notes
    return converted
