"""Reads JSON Schema as function calling uses it: every keyword is obeyed or refused.

A keyword is obeyed, or an annotation that cannot change what is legal, or an
``UnsupportedSchemaError`` that names it and its JSON path. Nothing is silently ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from constrained_du.errors import SpecError, UnsupportedSchemaError
from constrained_du.specs.schema import (
    JSON_TYPES,
    Boolean,
    Entity,
    Enumerated,
    ListOf,
    Member,
    Null,
    Number,
    Record,
    Reference,
    Schema,
    SlotLabel,
    Union,
    json_key,
)  # fmt: skip
from constrained_du.specs.schema_facts import are_disjoint, circular, endless, is_void, kind_of
from constrained_du.specs.schema_instances import (
    MAX_DEPTH,
    check_json,
    has_surrogates,
    is_instance,
    is_of_kind,
    shortened,
    shown,
)  # fmt: skip
from constrained_du.specs.schema_keywords import (
    KINDS_OF,
    check_format,
    check_keywords,
    count,
    int_range,
    kinds_said,
    number_bound,
    resolved,
    text_of,
)  # fmt: skip
from constrained_du.specs.schema_merge import ANNOTATIONS, NoValueError, Warn, merge
from constrained_du.types import JsonValue

LONGEST_EXAMPLE, MOST_EXAMPLES = 60, 8  # letters of an example that is taken note of, and how many are
MAX_NODES = 20_000  # one function's schema after references are followed


@dataclass(slots=True)
class SchemaReader:
    """Reads the schemas of one function. ``document`` is what ``$ref`` pointers look into."""

    document: Mapping[str, Any]
    path: str
    warn: Warn
    strings_free: bool = False
    definitions: dict[str, Schema] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _recursive: set[str] = field(default_factory=set)
    _nodes: int = 0
    _options: int = 0

    def read(self, raw: object, path: str, depth: int = 0) -> Schema:
        """The schema at ``path``. Raises SpecError for what is malformed, void, too large or endless."""
        schema = self._read(raw, path, depth)
        if depth == 0:
            for name in endless(self.definitions):
                raise SpecError(
                    self._places[name], "it leads back into itself and has no finite value - make a member optional"
                )
            for name in circular(self.definitions):
                raise SpecError(self._places[name], "it is one of its own options - leave that option out")
        return schema

    def _read(self, raw: object, path: str, depth: int) -> Schema:
        self._nodes += 1
        if depth > MAX_DEPTH:
            raise SpecError(shortened(path), f"schemas nested deeper than {MAX_DEPTH} - flatten the parameters")
        if self._nodes > MAX_NODES:
            raise SpecError(self.path, f"more than {MAX_NODES} schemas in one function - split the function")
        if raw is True:
            raw = {}
        if not isinstance(raw, Mapping):
            raise SpecError(path, f"a schema is an object, not {shown(raw)}")
        check_keywords(raw, path)
        if "$ref" in raw or "allOf" in raw:
            return self._referring(raw, path, depth)
        for keyword in ("anyOf", "oneOf"):
            if keyword in raw:
                return self._union(raw, keyword, path, depth)
        return self._typed(raw, path, depth)

    # -- references and allOf ----------------------------------------------------------

    def _referring(self, raw: Mapping[str, Any], path: str, depth: int) -> Schema:
        """A schema that leads elsewhere: where it leads back into itself, a Reference."""
        own = {k: v for k, v in raw.items() if k not in ANNOTATIONS}
        plain = set(own) == {"$ref"}
        name = str(own["$ref"]) if plain else json.dumps(own, ensure_ascii=False, default=repr)
        if name in self._open or (self._open and name in self.definitions):
            self._recursive.add(name)
            return Reference(name)
        self._open.append(name)
        try:
            if plain:
                here = f"{path}.$ref"
                schema = self._read(self._resolve(own["$ref"], here), here, depth + 1)
            else:
                schema = self._read(self._flat(raw, path, depth), path, depth + 1)
        finally:
            self._open.pop()
        if name in self._recursive:
            self.definitions[name] = schema
            self._places.setdefault(name, f"{path}.$ref" if plain else path)
            return Reference(name) if self._open else schema  # written once, however many use it
        return schema

    def _flat(self, raw: object, path: str, depth: int) -> dict[str, Any]:
        """The schema without ``$ref`` and ``allOf`` at its top."""
        if raw is True:
            return {}
        if not isinstance(raw, Mapping):
            raise SpecError(path, f"a schema is an object, not {shown(raw)}")
        if depth > MAX_DEPTH:
            raise SpecError(shortened(path), f"allOf and $ref nested deeper than {MAX_DEPTH}")
        check_keywords(raw, path)
        parts: list[Any] = [{k: v for k, v in raw.items() if k not in ("$ref", "allOf")}]
        if "$ref" in raw:
            here = f"{path}.$ref"
            parts.insert(0, self._flat(self._resolve(raw["$ref"], here), here, depth + 1))
        if "allOf" in raw:
            if not isinstance(raw["allOf"], list) or not raw["allOf"]:
                raise SpecError(f"{path}.allOf", "allOf is a list of schemas")
            parts += [self._flat(part, f"{path}.allOf[{i}]", depth + 1) for i, part in enumerate(raw["allOf"])]
        return merge(parts, path, self.warn)

    def _resolve(self, pointer: object, path: str) -> object:
        return resolved(self.document, pointer, path)

    # -- unions ------------------------------------------------------------------------

    def _union(self, raw: Mapping[str, Any], keyword: str, path: str, depth: int) -> Schema:
        options = raw[keyword]
        if not isinstance(options, list) or not options:
            raise SpecError(f"{path}.{keyword}", f"{keyword} is a list of schemas")
        shared = {k: v for k, v in raw.items() if k != keyword and k not in ANNOTATIONS and k != "nullable"}
        read: list[Schema] = []
        void: NoValueError | None = None
        for index, option in enumerate(options):
            here = f"{path}.{keyword}[{index}]"
            try:
                read.append(self._option({"allOf": [option, shared]} if shared else option, here, depth))
            except NoValueError as problem:
                void = problem
                self.warn(here, f"{problem.problem}; left out")
        if raw.get("nullable") is True:
            read.append(Null())
        if not read and void is not None:
            raise void
        exclusive = keyword == "oneOf"
        if exclusive and not all(are_disjoint(a, b, self._kind_of) for i, a in enumerate(read) for b in read[:i]):
            raise UnsupportedSchemaError(
                f"{path}.oneOf", "oneOf whose options may hold together is not supported - use anyOf, or a const in each"
            )
        return read[0] if len(read) == 1 else Union(tuple(read), exclusive)

    def _option(self, raw: object, path: str, depth: int) -> Schema:
        if raw is False or (isinstance(raw, dict) and any(part is False for part in raw.get("allOf", ()))):
            raise NoValueError(path, "false has no value")
        self._options += 1
        try:
            return self._read(raw, path, depth + 1)
        finally:
            self._options -= 1

    def _kind_of(self, pointer: str) -> str | None:
        """The one JSON type of what a recursive reference names, if it says so."""
        if pointer in self.definitions:
            return kind_of(self.definitions[pointer], self._kind_of)
        if not pointer.startswith("#"):
            return None
        target = self._resolve(pointer, self.path)
        kind = target.get("type") if isinstance(target, Mapping) and target.get("nullable") is not True else None
        return {"integer": "number"}.get(kind, kind) if isinstance(kind, str) and kind in JSON_TYPES else None

    # -- types -------------------------------------------------------------------------

    def _typed(self, raw: Mapping[str, Any], path: str, depth: int) -> Schema:
        kinds, certain = kinds_said(raw, path)
        if raw.get("nullable") is True and "null" not in kinds:
            kinds = [*kinds, "null"]
        check_format(raw, kinds if certain else list(JSON_TYPES), path, self.warn)
        if all(kind in JSON_TYPES for kind in kinds):
            for keyword in (keyword for keyword in raw if keyword in KINDS_OF and keyword != "format"):
                if not set(KINDS_OF[keyword]) & set(kinds):
                    self.warn(f"{path}.{keyword}", f"{keyword} says nothing about {' or '.join(kinds)}")
        if "enum" in raw or "const" in raw:
            for kind in kinds:  # only to check the keywords; what is void for all is void for the values
                with suppress(NoValueError):
                    self._of_kind(kind, raw, path, depth)
            return self._enumerated(raw, kinds if certain else list(JSON_TYPES), path)
        options = self._kinds_read(kinds, raw, path, depth)
        return options[0] if len(options) == 1 else Union(tuple(options))

    def _kinds_read(self, kinds: list[str], raw: Mapping[str, Any], path: str, depth: int) -> list[Schema]:
        """A schema for each type; of several types those without any value are left out."""
        read: list[Schema] = []
        for kind in kinds:
            try:
                read.append(self._of_kind(kind, raw, path, depth))
            except NoValueError as problem:
                if kind == kinds[-1] and not read:
                    raise
                self.warn(path, f"{problem.problem}; the type {kind} is left out")
        return read

    def _of_kind(self, kind: str, raw: Mapping[str, Any], path: str, depth: int) -> Schema:
        match kind:
            case "boolean":
                return Boolean()
            case "null":
                return Null()
            case "integer" | "number":
                return self._number(kind, raw, path)
            case "string":
                return text_of(raw, path, self.strings_free)
            case "array":
                return self._list(raw, path, depth)
            case "object":
                return self._record(raw, path, depth)
            case "slot_label":
                return SlotLabel()
            case _:
                return Entity(kind)

    def _number(self, kind: str, raw: Mapping[str, Any], path: str) -> Number:
        names = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
        least, most, above, below, step = (number_bound(raw, name, path) for name in names)
        low, high = int_range(raw.get("format"))
        least = low if least is None else least if low is None else max(least, low)
        most = high if most is None else most if high is None else min(most, high)
        if step is not None and step <= 0:
            raise SpecError(f"{path}.multipleOf", f"multipleOf is above 0, not {step}")
        number = Number(kind == "integer", least, most, above, below, step)
        if is_void(number):
            raise NoValueError(path, f"no {kind} lies within these bounds - widen them")
        return number

    def _list(self, raw: Mapping[str, Any], path: str, depth: int) -> ListOf:
        given, rest = raw.get("prefixItems", []), raw.get("items", True)
        if isinstance(rest, list):  # the tuple form of drafts before 2020-12
            given, rest = rest, raw.get("additionalItems", "prefixItems" not in raw)
        elif "additionalItems" in raw:
            self.warn(f"{path}.additionalItems", "additionalItems says nothing without a list of items")
        if not isinstance(given, list):
            raise SpecError(f"{path}.prefixItems", f"prefixItems is a list of schemas, not {shown(given)}")
        read = [self._item(item, f"{path}.prefixItems[{i}]", depth) for i, item in enumerate(given)]
        void = read.index(None) if None in read else len(read)
        prefix = tuple(schema for schema in read[:void] if schema is not None)
        closed = rest is False or (rest is True and given) or len(prefix) < len(given)
        items = None if closed else self._item(rest, f"{path}.items", depth)
        least, most = count(raw, "minItems", path) or 0, count(raw, "maxItems", path)
        if items is None:
            most = len(prefix) if most is None else min(most, len(prefix))
        if most is not None and least > most:
            raise NoValueError(path, f"minItems {least} is above {most} items - no list fits")
        unique = raw.get("uniqueItems", False)
        if not isinstance(unique, bool):
            raise SpecError(f"{path}.uniqueItems", f"uniqueItems is true or false, not {shown(unique)}")
        if unique and isinstance(items, Enumerated) and not prefix and least > len(items.values):
            raise NoValueError(path, f"{least} distinct items of {len(items.values)} values - no list fits")
        return ListOf(prefix, items, least, most, unique)

    def _item(self, raw: object, path: str, depth: int) -> Schema | None:
        """The schema of an item; None where no value fits, within a union: the list ends before it."""
        try:
            return self._read(raw, path, depth + 1)
        except NoValueError as problem:
            if not self._options:
                raise
            self.warn(path, f"{problem.problem}; left out")
            return None

    def _record(self, raw: Mapping[str, Any], path: str, depth: int) -> Record:
        properties, required = raw.get("properties", {}), raw.get("required", [])
        if not isinstance(properties, Mapping):
            raise SpecError(f"{path}.properties", f"properties is an object, not {shown(properties)}")
        if isinstance(required, bool) and depth > 0:  # the draft-3 flag, seen in the wild
            self.warn(f"{path}.required", "required is a list of names; a flag says nothing here")
            required = []
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            raise SpecError(f"{path}.required", f"required is a list of names, not {shown(required)}")
        for name in required:
            if name not in properties:
                self.warn(f"{path}.required", f"required names {name!r}, which is no property")
        self._closed(raw, path)
        read = [self._member(name, schema, name in required, path, depth) for name, schema in properties.items()]
        members = tuple(member for member in read if member is not None)
        least = count(raw, "minProperties", path) or 0
        if least > len(members):
            raise NoValueError(path, f"minProperties {least} of {len(members)} properties - no object fits")
        return Record(members, least)

    def _closed(self, raw: Mapping[str, Any], path: str) -> None:
        extra = raw.get("additionalProperties", False)
        if isinstance(extra, Mapping):
            self._read(extra, f"{path}.additionalProperties", 1)
        elif not isinstance(extra, bool):
            raise SpecError(f"{path}.additionalProperties", f"true, false or a schema, not {shown(extra)}")
        if extra is not False:
            self.warn(f"{path}.additionalProperties", "additionalProperties stays closed: only listed properties are said")

    def _member(self, name: object, schema: object, required: bool, path: str, depth: int) -> Member | None:
        """A property; None where no value fits an optional one of a union's option."""
        if not isinstance(name, str) or not name:
            raise SpecError(f"{path}.properties", f"the name of a property is text, not {shown(name)}")
        if has_surrogates(name):
            raise SpecError(f"{path}.properties", f"the name {name!r} holds half a surrogate pair")
        here = f"{path}.properties.{name}"
        described = schema if isinstance(schema, Mapping) else {}
        texts = {key: described.get(key) or "" for key in ("description", "title")}
        for key, text in texts.items():
            if not isinstance(text, str):
                raise SpecError(f"{here}.{key}", f"{key} is text, not {shown(text)}")
        try:
            read = self._read(schema, here, depth + 1)
            return Member(name, read, required, texts["description"], texts["title"], _examples(described))
        except NoValueError as problem:
            if required or not self._options:
                raise
            self.warn(here, f"{problem.problem}; left out")
            return None

    def _enumerated(self, raw: Mapping[str, Any], kinds: list[str], path: str) -> Schema:
        keyword = "const" if "const" in raw else "enum"
        values = [raw["const"]] if keyword == "const" else raw["enum"]
        here, named = f"{path}.{keyword}", " or ".join(kinds)
        if not isinstance(values, list) or not values:
            raise SpecError(here, f"no values in the {keyword} - list at least one")
        if keyword == "const" and not isinstance(raw.get("enum", []), list):
            raise SpecError(f"{path}.enum", f"enum is a list of values, not {shown(raw['enum'])}")
        custom = any(kind not in JSON_TYPES for kind in kinds)
        beside = {k: v for k, v in raw.items() if k != keyword}
        kept: dict[str, JsonValue] = {}
        for index, value in enumerate(values):
            check_json(value, f"{here}[{index}]")
            if json_key(value) in kept:
                self.warn(f"{here}[{index}]", f"the value {shown(value)} is listed twice")
            elif custom or self._is_legal(value, beside, kinds):
                kept[json_key(value)] = value
            else:
                misfit = any(is_of_kind(value, kind) for kind in kinds)
                reason = "does not fit what stands beside it" if misfit else f"is not of type {named}"
                self.warn(f"{here}[{index}]", f"the value {shown(value)} {reason}; left out")
        if not kept:
            raise NoValueError(here, f"no value of the {keyword} is of type {named} and fits what stands beside it")
        return Enumerated(tuple(kept.values()))

    def _is_legal(self, value: JsonValue, raw: Mapping[str, Any], kinds: list[str]) -> bool:
        return any(is_of_kind(value, kind) for kind in kinds) and is_instance(
            value, raw, lambda pointer: self._resolve(pointer, self.path)
        )


def _examples(described: Mapping[str, Any]) -> tuple[str, ...]:
    """The short texts among the examples that a schema gives."""
    given = described.get("examples") or [described.get("example")]
    listed = given if isinstance(given, list) else []
    return tuple(text for text in listed if isinstance(text, str) and 0 < len(text) <= LONGEST_EXAMPLE)[:MOST_EXAMPLES]


__all__ = ["MAX_DEPTH", "MAX_NODES", "SchemaReader", "Warn"]
