"""Reads JSON Schema as function calling uses it: every keyword is obeyed or refused.

A keyword is obeyed, or an annotation that cannot change what is legal, or an
``UnsupportedSchemaError`` that names it and its JSON path. Nothing is silently ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from constrained_du.errors import SpecError, UnsupportedSchemaError
from constrained_du.patterns import PatternError
from constrained_du.schema import (
    FORMATS, JSON_TYPES, Boolean, Entity, Enumerated, ListOf, Member, Null, Number, Record, Reference, Schema,
    SlotLabel, Text, Union, compiled, json_key, same_json,
)  # fmt: skip
from constrained_du.types import JsonValue

MAX_DEPTH = 48  # deeper than any spec seen; keeps recursion far from Python's limit
MAX_NODES = 20_000  # one function's schema after references are followed

_ANNOTATIONS = frozenset(
    "title description examples example default deprecated readOnly writeOnly $comment $id $schema $anchor "
    "externalDocs xml discriminator contentMediaType contentEncoding $defs definitions".split()
)
_APPLIES = {
    "string": ("minLength", "maxLength", "pattern", "format", "x-value"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "object": ("properties", "required", "additionalProperties", "minProperties"),
}
_APPLIES["number"] = _APPLIES["integer"]
_TYPED = {keyword: kinds for kinds, keywords in _APPLIES.items() for keyword in keywords}
_STRUCTURAL = frozenset("type enum const anyOf oneOf allOf $ref nullable".split())
_INTEGER_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1)}
_FLOAT_FORMATS = ("float", "double", "decimal")

Warn = Callable[[str, str], None]
"""Called with a JSON path and a sentence."""


@dataclass(slots=True)
class SchemaReader:
    """Reads the schemas of one function. ``document`` is what ``$ref`` pointers look into."""

    document: Mapping[str, Any]
    path: str
    warn: Warn
    strings_free: bool = False
    definitions: dict[str, Schema] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _recursive: set[str] = field(default_factory=set)
    _nodes: int = 0

    def read(self, raw: object, path: str, depth: int = 0) -> Schema:
        self._nodes += 1
        if depth > MAX_DEPTH:
            raise SpecError(_shortened(path), f"schemas nested deeper than {MAX_DEPTH} - flatten the parameters")
        if self._nodes > MAX_NODES:
            raise SpecError(self.path, f"more than {MAX_NODES} schemas in one function - split the function")
        if raw is True:
            raw = {}
        if not isinstance(raw, Mapping):
            raise SpecError(path, f"a schema is an object, not {_shown(raw)}")
        if "$ref" in raw:
            return self._reference(raw, path, depth)
        self._check_keywords(raw, path)
        if "allOf" in raw:
            return self.read(self._merged_all_of(raw, path, depth), path, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if keyword in raw:
                return self._union(raw, keyword, path, depth)
        return self._typed(raw, path, depth)

    # -- keywords --------------------------------------------------------------------

    def _check_keywords(self, raw: Mapping[str, Any], path: str) -> None:
        for keyword in raw:
            if not isinstance(keyword, str):
                raise SpecError(path, f"a keyword is text, not {_shown(keyword)}")
            if keyword in _ANNOTATIONS or keyword in _STRUCTURAL or keyword in _TYPED:
                continue
            if keyword.startswith("x-") or keyword in ("clarification", "prompt", "prompts"):
                continue
            raise UnsupportedSchemaError(
                f"{path}.{keyword}", f"the keyword {keyword!r} is not supported - leave it out or check it in your code"
            )

    def _reference(self, raw: Mapping[str, Any], path: str, depth: int) -> Schema:
        pointer = raw["$ref"]
        here = f"{path}.$ref"
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            raise UnsupportedSchemaError(here, f"the $ref {_shown(pointer)} leaves the document - inline what it names")
        siblings = {k: v for k, v in raw.items() if k != "$ref" and k not in _ANNOTATIONS}
        if siblings:
            merged = self._merge([self._resolve(pointer, here), siblings], path, depth)
            return self.read(merged, path, depth + 1)
        if pointer in self._open:
            self._recursive.add(pointer)
            return Reference(pointer)
        self._open.append(pointer)
        schema = self.read(self._resolve(pointer, here), here, depth + 1)
        self._open.pop()
        if pointer in self._recursive:
            self.definitions[pointer] = schema
            if not self._is_finite(schema, set()):
                raise SpecError(here, f"the $ref {pointer!r} has no finite value - make a member of the cycle optional")
        return schema

    def _resolve(self, pointer: str, path: str) -> object:
        target: object = self.document
        for step in pointer.lstrip("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, Mapping) and key in target:
                target = target[key]
            elif isinstance(target, list) and key.isdecimal() and int(key) < len(target):
                target = target[int(key)]
            else:
                raise SpecError(path, f"the $ref {pointer!r} names nothing in this document")
        return target

    def _is_finite(self, schema: Schema, within: set[str]) -> bool:
        match schema:
            case Reference(pointer):
                if pointer not in self.definitions:
                    return True  # still being read: judged when that is done
                if pointer in within:
                    return False
                return self._is_finite(self.definitions[pointer], within | {pointer})
            case Record(members):
                return all(self._is_finite(m.schema, within) for m in members if m.required)
            case ListOf(prefix, items, least):
                needed = list(prefix[:least]) + ([items] if least > len(prefix) and items is not None else [])
                return all(self._is_finite(item, within) for item in needed)
            case Union(options):
                return any(self._is_finite(option, within) for option in options)
            case _:
                return True

    def _merged_all_of(self, raw: Mapping[str, Any], path: str, depth: int) -> dict[str, Any]:
        parts = raw["allOf"]
        if not isinstance(parts, list) or not parts:
            raise SpecError(f"{path}.allOf", "allOf is a list of schemas")
        resolved = [{k: v for k, v in raw.items() if k != "allOf"}]
        for index, part in enumerate(parts):
            here = f"{path}.allOf[{index}]"
            for _ in range(MAX_DEPTH):
                if not (isinstance(part, Mapping) and isinstance(part.get("$ref"), str)):
                    break
                base = self._resolve(part["$ref"], here)
                part = self._merge([base, {k: v for k, v in part.items() if k != "$ref"}], here, depth)
            if not isinstance(part, Mapping) or "$ref" in part:
                raise SpecError(here, f"a schema is an object, not {_shown(part)}")
            self._check_keywords(part, here)
            resolved.append(self._merged_all_of(part, here, depth + 1) if "allOf" in part else dict(part))
            if depth > MAX_DEPTH:
                raise SpecError(_shortened(path), f"allOf nested deeper than {MAX_DEPTH}")
        return self._merge(resolved, path, depth)

    def _merge(self, parts: list[Any], path: str, depth: int) -> dict[str, Any]:
        """One schema that holds where all parts hold (``allOf``)."""
        merged: dict[str, Any] = {}
        for part in parts:
            if not isinstance(part, Mapping):
                raise SpecError(path, f"a schema is an object, not {_shown(part)}")
            for keyword, value in part.items():
                if keyword in merged and merged[keyword] != value and keyword not in _ANNOTATIONS:
                    merged[keyword] = _combine(keyword, merged[keyword], value, path)
                elif keyword not in merged:
                    merged[keyword] = value
        return merged

    def _union(self, raw: Mapping[str, Any], keyword: str, path: str, depth: int) -> Schema:
        options = raw[keyword]
        if not isinstance(options, list) or not options:
            raise SpecError(f"{path}.{keyword}", f"{keyword} is a list of schemas")
        if "anyOf" in raw and "oneOf" in raw:
            raise UnsupportedSchemaError(f"{path}.oneOf", "anyOf and oneOf in one schema are not supported")
        shared = {k: v for k, v in raw.items() if k != keyword and k not in _ANNOTATIONS and k != "nullable"}
        read: list[Schema] = []
        for index, option in enumerate(options):
            here = f"{path}.{keyword}[{index}]"
            if shared and isinstance(option, Mapping) and "$ref" in option:
                option = self._merge([self._resolve(option["$ref"], here), {**option, "$ref": None}], here, depth)
                option.pop("$ref", None)
            combined = self._merge([option, shared], here, depth) if shared else option
            read.append(self.read(combined, here, depth + 1))
        if raw.get("nullable") is True:
            read.append(Null())
        exclusive = keyword == "oneOf"
        if exclusive and not all(_disjoint(a, b) for i, a in enumerate(read) for b in read[:i]):
            raise UnsupportedSchemaError(
                f"{path}.oneOf", "oneOf whose options may hold together is not supported - use anyOf, or a const in each"
            )
        return read[0] if len(read) == 1 else Union(tuple(read), exclusive)

    def _typed(self, raw: Mapping[str, Any], path: str, depth: int) -> Schema:
        kinds = self._kinds(raw, path)
        if raw.get("nullable") is True and "null" not in kinds:
            kinds = [*kinds, "null"]
        for keyword, applies in _TYPED.items():
            numeric = applies in ("integer", "number") and {"integer", "number"} & set(kinds)
            if keyword in raw and applies not in kinds and not numeric and not self._custom(kinds):
                if keyword == "format" and "string" in kinds:
                    continue
                self.warn(f"{path}.{keyword}", f"{keyword} says nothing about {' or '.join(kinds)}")
        options = [self._of_kind(kind, raw, path, depth) for kind in kinds]
        schema = options[0] if len(options) == 1 else Union(tuple(options))
        return self._enumerated(raw, schema, kinds, path) if "enum" in raw or "const" in raw else schema

    @staticmethod
    def _custom(kinds: list[str]) -> bool:
        return any(kind not in JSON_TYPES for kind in kinds)

    def _kinds(self, raw: Mapping[str, Any], path: str) -> list[str]:
        given = raw.get("type")
        if isinstance(given, str) and given:
            return [given]
        if isinstance(given, list) and given and all(isinstance(kind, str) and kind for kind in given):
            return list(dict.fromkeys(given))
        if given is not None or "type" in raw:
            raise SpecError(f"{path}.type", f"a type is a name or a list of names, not {_shown(given)}")
        if "enum" in raw or "const" in raw:
            return list(JSON_TYPES)
        found = dict.fromkeys(_TYPED[keyword] for keyword in raw if keyword in _TYPED)
        if not found:
            return ["number", "string"]  # what can be said: a number, or words
        return ["number" if kind == "integer" else kind for kind in found][:1]

    def _of_kind(self, kind: str, raw: Mapping[str, Any], path: str, depth: int) -> Schema:
        if ("enum" in raw or "const" in raw) and kind in ("array", "object", "string") and kind not in _asked(raw):
            return Text() if kind == "string" else ListOf((), Text()) if kind == "array" else Record(())
        match kind:
            case "boolean":
                return Boolean()
            case "null":
                return Null()
            case "integer" | "number":
                return self._number(kind, raw, path)
            case "string":
                return self._text(raw, path)
            case "array":
                return self._list(raw, path, depth)
            case "object":
                return self.record(raw, path, depth)
            case "slot_label":
                return SlotLabel()
            case _:
                return Entity(kind)

    # -- kinds -----------------------------------------------------------------------

    def _number(self, kind: str, raw: Mapping[str, Any], path: str) -> Number:
        bound = {
            keyword: self._decimal(raw, keyword, path)
            for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
        }
        least, most = bound["minimum"], bound["maximum"]
        kind_format = raw.get("format")
        if isinstance(kind_format, str) and kind_format in _INTEGER_RANGES:
            low, high = map(Decimal, _INTEGER_RANGES[kind_format])
            least, most = max(least or low, low), min(most if most is not None else high, high)
        elif kind_format is not None and kind_format not in _FLOAT_FORMATS and kind_format not in FORMATS:
            raise UnsupportedSchemaError(f"{path}.format", f"the format {_shown(kind_format)} is not supported")
        step = bound["multipleOf"]
        if step is not None and step <= 0:
            raise SpecError(f"{path}.multipleOf", f"multipleOf is above 0, not {step}")
        number = Number(kind == "integer", least, most, bound["exclusiveMinimum"], bound["exclusiveMaximum"], step)
        if _is_void(number):
            raise SpecError(path, f"no {kind} lies within these bounds - widen them")
        return number

    def _decimal(self, raw: Mapping[str, Any], keyword: str, path: str) -> Decimal | None:
        value = raw.get(keyword)
        if value is None and keyword not in raw:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise SpecError(f"{path}.{keyword}", f"{keyword} is a number, not {_shown(value)}")
        return Decimal(value) if isinstance(value, int) else Decimal(repr(value))

    def _count(self, raw: Mapping[str, Any], keyword: str, path: str) -> int | None:
        value = raw.get(keyword)
        if value is None and keyword not in raw:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise SpecError(f"{path}.{keyword}", f"{keyword} is a whole number from 0, not {_shown(value)}")
        return value

    def _text(self, raw: Mapping[str, Any], path: str) -> Text:
        least, most = self._count(raw, "minLength", path) or 0, self._count(raw, "maxLength", path)
        if most is not None and least > most:
            raise SpecError(path, f"minLength {least} is above maxLength {most} - no text fits")
        given = raw.get("pattern", [])
        patterns = given if isinstance(given, list) else [given]
        for pattern in patterns:
            self._check_pattern(pattern, f"{path}.pattern")
        kind = raw.get("format")
        if "format" in raw and kind not in FORMATS:
            raise UnsupportedSchemaError(
                f"{path}.format", f"the format {_shown(kind)} is not supported - use one of {', '.join(FORMATS)}"
            )
        value = raw.get("x-value", "free" if self.strings_free else "verbatim")
        if value not in ("free", "verbatim"):
            raise SpecError(f"{path}.x-value", f'x-value is "free" or "verbatim", not {_shown(value)}')
        return Text(least, most, tuple(patterns), kind, value == "free" and kind is None)

    def _check_pattern(self, pattern: object, path: str) -> None:
        if not isinstance(pattern, str):
            raise SpecError(path, f"a pattern is text, not {_shown(pattern)}")
        try:
            compiled(pattern)
        except PatternError as problem:
            raise UnsupportedSchemaError(path, f"the pattern {_shown(pattern)} has {problem}") from None

    def _list(self, raw: Mapping[str, Any], path: str, depth: int) -> ListOf:
        given = raw.get("prefixItems", [])
        rest = raw.get("items", True)
        if isinstance(rest, list):  # the tuple form of drafts before 2020-12
            given, rest = rest, raw.get("additionalItems", True)
        if not isinstance(given, list):
            raise SpecError(f"{path}.prefixItems", f"prefixItems is a list of schemas, not {_shown(given)}")
        prefix = tuple(self.read(item, f"{path}.prefixItems[{i}]", depth + 1) for i, item in enumerate(given))
        closed = rest is False or (rest is True and prefix and "items" not in raw)
        items = None if closed else self.read(rest, f"{path}.items", depth + 1)
        least = self._count(raw, "minItems", path) or 0
        most = self._count(raw, "maxItems", path)
        if items is None:
            most = len(prefix) if most is None else min(most, len(prefix))
        if most is not None and least > most:
            raise SpecError(path, f"minItems {least} is above {most} items - no list fits")
        unique = raw.get("uniqueItems", False)
        if not isinstance(unique, bool):
            raise SpecError(f"{path}.uniqueItems", f"uniqueItems is true or false, not {_shown(unique)}")
        if unique and isinstance(items, Enumerated) and not prefix and least > len(items.values):
            raise SpecError(path, f"{least} distinct items of {len(items.values)} values - no list fits")
        return ListOf(prefix, items, least, most, unique)

    def record(self, raw: Mapping[str, Any], path: str, depth: int = 0) -> Record:
        properties = raw.get("properties", {})
        if not isinstance(properties, Mapping):
            raise SpecError(f"{path}.properties", f"properties is an object, not {_shown(properties)}")
        required = raw.get("required", [])
        if isinstance(required, bool) and depth > 0:  # the draft-3 flag, seen in the wild
            required = []
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            raise SpecError(f"{path}.required", f"required is a list of names, not {_shown(required)}")
        for name in required:
            if name not in properties:
                self.warn(f"{path}.required", f"required names {name!r}, which is no property")
        self._closed(raw, path)
        members = tuple(self._member(name, schema, name in required, path, depth) for name, schema in properties.items())
        least = self._count(raw, "minProperties", path) or 0
        if least > len(members):
            raise SpecError(path, f"minProperties {least} of {len(members)} properties - no object fits")
        return Record(members, least)

    def _closed(self, raw: Mapping[str, Any], path: str) -> None:
        extra = raw.get("additionalProperties", False)
        if extra is True or extra == {} and isinstance(extra, Mapping):
            self.warn(f"{path}.additionalProperties", "additionalProperties stays closed: only listed properties are said")
        elif isinstance(extra, Mapping):
            self.read(extra, f"{path}.additionalProperties", 1)
            self.warn(f"{path}.additionalProperties", "additionalProperties stays closed: only listed properties are said")
        elif extra is not False:
            raise SpecError(f"{path}.additionalProperties", f"true, false or a schema, not {_shown(extra)}")

    def _member(self, name: object, schema: object, required: bool, path: str, depth: int) -> Member:
        here = f"{path}.properties.{name}"
        if not isinstance(name, str) or not name:
            raise SpecError(f"{path}.properties", f"the name of a property is text, not {_shown(name)}")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise SpecError(f"{path}.properties", f"the name {name!r} holds half a surrogate pair")
        described = schema if isinstance(schema, Mapping) else {}
        texts = {key: described.get(key) or "" for key in ("description", "title")}
        for key, text in texts.items():
            if not isinstance(text, str):
                raise SpecError(f"{here}.{key}", f"{key} is text, not {_shown(text)}")
        return Member(name, self.read(schema, here, depth + 1), required, texts["description"], texts["title"])

    def _enumerated(self, raw: Mapping[str, Any], schema: Schema, kinds: list[str], path: str) -> Schema:
        keyword = "const" if "const" in raw else "enum"
        values = [raw["const"]] if keyword == "const" else raw["enum"]
        here = f"{path}.{keyword}"
        if not isinstance(values, list) or not values:
            raise SpecError(here, f"no values in the {keyword} - list at least one")
        if keyword == "const" and isinstance(raw.get("enum"), list):
            values = [value for value in values if any(same_json(value, other) for other in raw["enum"])]
        kept: dict[str, JsonValue] = {}
        for index, value in enumerate(values):
            _check_json(value, f"{here}[{index}]")
            if json_key(value) in kept:
                self.warn(f"{here}[{index}]", f"the value {_shown(value)} is listed twice")
            elif self._custom(kinds) or _fits(value, schema, raw):
                kept[json_key(value)] = value
            else:
                self.warn(f"{here}[{index}]", f"the value {_shown(value)} is not of type {' or '.join(kinds)}; left out")
        if not kept:
            raise SpecError(here, f"no value of the {keyword} is of type {' or '.join(kinds)}")
        return Enumerated(tuple(kept.values()))


def _asked(raw: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = raw.get("type")
    return (kinds,) if isinstance(kinds, str) else tuple(kinds or ())


def _fits(value: JsonValue, schema: Schema, raw: Mapping[str, Any]) -> bool:
    """Whether an enum's value obeys what stands beside the enum."""
    match schema:
        case Union(options):
            return any(_fits(value, option, raw) for option in options)
        case Boolean():
            return isinstance(value, bool)
        case Null():
            return value is None
        case Number() | Text():
            return schema.admits(value)
        case ListOf():
            return isinstance(value, list)
        case Record():
            return isinstance(value, dict)
        case _:
            return True


def _check_json(value: object, path: str, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise SpecError(_shortened(path), f"a value nested deeper than {MAX_DEPTH}")
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise SpecError(path, f"the value {value!r} holds half a surrogate pair")
    if isinstance(value, float) and not math.isfinite(value):
        raise SpecError(path, f"{value} is no JSON number")
    if isinstance(value, list):
        for index, item in enumerate(value):
            _check_json(item, f"{path}[{index}]", depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise SpecError(path, f"a key is text, not {_shown(key)}")
            _check_json(item, f"{path}.{key}", depth + 1)
    elif not isinstance(value, str | int | float | bool | None):
        raise SpecError(path, f"{_shown(value)} is no JSON value")


def _combine(keyword: str, left: Any, right: Any, path: str) -> Any:
    """The keyword's value under which both hold."""
    tightest: dict[str, Callable[[Any, Any], Any]] = {
        **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
        **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), min),
        "uniqueItems": lambda a, b: a or b,
        "nullable": lambda a, b: a and b,
        "additionalProperties": lambda a, b: False if False in (a, b) else a,
    }
    here = f"{path}.{keyword}"
    try:
        if keyword in tightest:
            return tightest[keyword](left, right)
        match keyword:
            case "type":
                kinds = _meet_kinds(left, right)
                if not kinds:
                    raise SpecError(here, f"allOf of {left!r} and {right!r} - no value is both")
                return kinds
            case "enum":
                return [value for value in left if any(same_json(value, other) for other in right)]
            case "required":
                return list(dict.fromkeys([*left, *right]))
            case "properties":
                both = {name: {"allOf": [left[name], right[name]]} for name in left if name in right}
                return {**left, **right, **both}
            case "pattern":
                return [*(left if isinstance(left, list) else [left]), *(right if isinstance(right, list) else [right])]
            case "allOf":
                return [*left, *right]
            case "items":
                return {"allOf": [left, right]}
    except (TypeError, AttributeError):
        raise SpecError(here, f"allOf cannot merge {_shown(left)} and {_shown(right)}") from None
    raise UnsupportedSchemaError(here, f"allOf with two different {keyword} is not supported - merge them by hand")


def _meet_kinds(left: Any, right: Any) -> list[str]:
    first = left if isinstance(left, list) else [left]
    second = right if isinstance(right, list) else [right]
    met = [kind for kind in first if kind in second]
    if "integer" not in met and ("integer" in first and "number" in second or "number" in first and "integer" in second):
        met.append("integer")
    return met


def _kind_of(schema: Schema) -> str | None:
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
        case _:
            return None


def _disjoint(left: Schema, right: Schema) -> bool:
    """Whether it is certain that no value fits both."""
    if isinstance(left, Union):
        return all(_disjoint(option, right) for option in left.options)
    if isinstance(right, Union):
        return _disjoint(right, left)
    if isinstance(left, Enumerated) and isinstance(right, Enumerated):
        return not any(same_json(a, b) for a in left.values for b in right.values)
    if isinstance(left, Enumerated):
        return not any(_fits(value, right, {}) for value in left.values) and _kind_of(right) is not None
    if isinstance(right, Enumerated):
        return _disjoint(right, left)
    if isinstance(left, Record) and isinstance(right, Record):
        other = {member.name: member for member in right.members}
        return any(m.required and m.name in other and other[m.name].required and _disjoint(m.schema, other[m.name].schema)
                   for m in left.members)
    if isinstance(left, Number) and isinstance(right, Number):
        return _is_void_pair(left, right)
    kinds = _kind_of(left), _kind_of(right)
    return None not in kinds and kinds[0] != kinds[1]


def _is_void_pair(left: Number, right: Number) -> bool:
    tops = [n.maximum for n in (left, right) if n.maximum is not None]
    bottoms = [n.minimum for n in (left, right) if n.minimum is not None]
    return bool(tops and bottoms and max(bottoms) > min(tops))


def _is_void(number: Number) -> bool:
    low = max((b for b in (number.minimum, number.exclusive_minimum) if b is not None), default=None)
    high = min((b for b in (number.maximum, number.exclusive_maximum) if b is not None), default=None)
    if low is None or high is None:
        return False
    step = number.multiple_of or (Decimal(1) if number.integer else None)
    if step is None:
        return low > high or (low == high and not number.admits(float(low)))
    first = (low / step).to_integral_value(rounding="ROUND_CEILING") * step
    candidates = (first, first + step)
    return not any(
        c <= high and (number.minimum is None or c >= number.minimum)
        and (number.exclusive_minimum is None or c > number.exclusive_minimum)
        and (number.exclusive_maximum is None or c < number.exclusive_maximum)
        for c in candidates
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _shortened(path: str) -> str:
    return path if len(path) <= 200 else f"{path[:120]}…{path[-60:]}"
