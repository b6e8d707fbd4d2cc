"""Every keyword of a schema is obeyed, or refused with its name and its path."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemas import UTTERANCE, Raw, documents, instances

from constrained_du.errors import SpecError, UnsupportedSchemaError
from constrained_du.grammar.candidates import Candidates
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import Choice
from constrained_du.specs.schema import Number, json_key, same_json
from constrained_du.specs.schema_reader import MAX_DEPTH, MAX_NODES
from constrained_du.specs.spec import Function, SpecWarning, read_specs
from constrained_du.types import JsonValue

SLOT = "$[0].parameters.properties.v"


def function(schema: Any, definitions: Raw | None = None, free: bool = False) -> Function:
    parameters = {"type": "object", "properties": {"v": schema}, "$defs": definitions or {}}
    [read] = read_specs([{"name": "f", "parameters": parameters}], strings_free=free)
    return read


def admits(schema: Any, value: JsonValue, definitions: Raw | None = None, utterance: str = UTTERANCE) -> bool:
    return Binder(utterance).bind(function(schema, definitions)).admits({"v": value})


def warned(schema: Any, definitions: Raw | None = None) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(schema, definitions)
    return [str(item.message) for item in caught if issubclass(item.category, SpecWarning)]


# ---- obeyed ------------------------------------------------------------------------------

RED = {"enum": ["red", "blue"]}
OBEYED: Sequence[tuple[str, Raw, list[JsonValue], list[JsonValue]]] = [
    ("enum keeps types", {"enum": ["1", 1, True, None, 1.5]}, ["1", 1, 1.0, True, None, 1.5], [False, "true", 2, "null"]),
    ("enum of lists and objects", {"enum": [[1, 2], {"a": 1, "b": 2}]}, [[1, 2], {"b": 2, "a": 1}], [[2, 1], {"a": 1}, [1]]),
    ("enum beside a type", {"type": "integer", "enum": [1, "1", 2.0, 2.5]}, [1, 2], ["1", 2.5]),
    ("enum beside a length", {"enum": ["a", "abc", 7], "minLength": 2}, ["abc", 7], ["a"]),
    ("enum beside a pattern", {"type": "string", "enum": ["ab", "ba"], "pattern": "^a"}, ["ab"], ["ba"]),
    ("enum beside bounds", {"enum": [1, 5, "5", 9], "maximum": 6, "multipleOf": 5}, [5, "5"], [1, 9]),
    ("enum of lists beside items", {"type": "array", "items": {"type": "integer"}, "enum": [[1], ["a"], []]}, [[1], []], [["a"]]),
    ("enum of open objects", {"type": "object", "properties": {"n": {"type": "integer"}}, "enum": [{"n": 1, "x": 2}, {"n": "1"}]},
     [{"n": 1, "x": 2}], [{"n": "1"}]),
    ("enum of closed objects", {"type": "object", "additionalProperties": False, "enum": [{}, {"x": 2}]}, [{}], [{"x": 2}]),
    ("const", {"const": {"a": [1]}}, [{"a": [1]}, {"a": [1.0]}], [{"a": [2]}, {}, None]),
    ("const and enum", {"const": "red", "enum": ["blue", "red"]}, ["red"], ["blue"]),
    ("const null", {"const": None}, [None], [False, 0, ""]),
    ("boolean", {"type": "boolean"}, [True, False], [1, 0, "true", None]),
    ("null", {"type": "null"}, [None], [False, 0, ""]),
    ("integer", {"type": "integer"}, [0, 6, -2, 2.0], [2.5, 7, "2", True]),
    ("number", {"type": "number"}, [0.5, 2.5, 3, -1], [0.25, "3", None]),
    ("inclusive bounds", {"type": "number", "minimum": 1, "maximum": 2.5}, [1, 1.5, 2.5], [0.5, 3]),
    ("exclusive bounds", {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2.5}, [1.5, 2], [1, 2.5]),
    ("both kinds of bound", {"type": "integer", "minimum": 1, "exclusiveMinimum": 1, "maximum": 3}, [2, 3], [1, 4]),
    ("multipleOf", {"type": "integer", "multipleOf": 3}, [0, 3, 6], [1, 10]),
    ("multipleOf a fraction", {"type": "number", "multipleOf": 0.5}, [0.5, 2.5, 3], []),
    ("int32", {"type": "integer", "format": "int32", "minimum": 0}, [0, 10], [-1]),
    ("string", {"type": "string"}, ["red", "red, blue", "the numbers"], ["re", "red,", "green", "", 1]),
    ("minLength and maxLength", {"type": "string", "minLength": 3, "maxLength": 4}, ["red", "blue", "abc"], ["ab", "red, blue"]),
    ("an unanchored pattern contains", {"type": "string", "pattern": "lu", "maxLength": 4}, ["blue"], ["red"]),
    ("an anchored pattern", {"type": "string", "pattern": "^ab.?$"}, ["ab", "abc"], ["abcd", "red"]),
    ("items", {"type": "array", "items": RED}, [[], ["red"], ["red", "red"]], [["green"], "red", [1]]),
    ("minItems and maxItems", {"type": "array", "items": RED, "minItems": 1, "maxItems": 2}, [["red"], ["red", "blue"]],
     [[], ["red", "red", "red"]]),
    ("uniqueItems", {"type": "array", "items": {"enum": [1, "1", True]}, "uniqueItems": True}, [[1, "1", True], []],
     [[1, 1], [1, 1.0]]),
    ("prefixItems alone", {"type": "array", "prefixItems": [RED, {"type": "integer"}]}, [[], ["red"], ["blue", 3]],
     [[3], ["red", 3, 3], ["red", "red"]]),
    ("prefixItems and items", {"type": "array", "prefixItems": [RED], "items": {"type": "integer"}, "minItems": 2},
     [["red", 1], ["red", 1, 2]], [["red"], [1, 2]]),
    ("items as a list (draft 7)", {"type": "array", "items": [RED], "additionalItems": {"type": "null"}}, [["red"], ["red", None]],
     [[None], ["red", "red"]]),
    ("items false", {"type": "array", "prefixItems": [RED], "items": False}, [["red"]], [["red", "red"]]),
    ("items absent", {"type": "array"}, [[], ["red", 3]], [[None], [["red"]]]),
    ("object", {"type": "object", "properties": {"a": RED, "b": {"type": "integer"}}, "required": ["b"]},
     [{"b": 1}, {"a": "red", "b": 1}], [{"a": "red"}, {}, {"b": 1, "c": 2}, {"b": "1"}]),
    ("minProperties", {"type": "object", "properties": {"a": RED, "b": RED, "c": RED}, "minProperties": 2},
     [{"a": "red", "c": "red"}], [{}, {"a": "red"}]),
    ("additionalProperties true stays closed", {"type": "object", "properties": {"a": RED}, "additionalProperties": True},
     [{"a": "red"}], [{"a": "red", "x": "blue"}]),
    ("anyOf", {"anyOf": [RED, {"type": "integer", "maximum": 2}]}, ["red", 1], ["green", 3]),
    ("anyOf with siblings", {"type": "string", "minLength": 3, "anyOf": [{"pattern": "^a"}, {"pattern": "^r"}, {"type": "integer"}]},
     ["abc", "red"], ["ab", "blue", 3]),
    ("anyOf of required", {"type": "object", "properties": {"a": RED, "b": RED}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     [{"a": "red"}, {"b": "red"}, {"a": "red", "b": "red"}], [{}]),
    ("oneOf", {"oneOf": [{"type": "string"}, {"type": "integer"}]}, ["red", 3], [0.5, True]),
    ("oneOf told apart by a constant", {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "x"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"type": "object", "properties": {"kind": {"const": "y"}, "s": RED}, "required": ["kind"]},
    ]}, [{"kind": "x", "n": 1}, {"kind": "y", "s": "red"}, {"kind": "y"}], [{"kind": "x"}, {"kind": "x", "s": "red"}]),
    ("oneOf told apart by bounds", {"oneOf": [{"type": "integer", "exclusiveMaximum": 2}, {"type": "integer", "minimum": 4}]},
     [1, 4], [2, 3]),
    ("anyOf and oneOf", {"anyOf": [{"minimum": 2}, {"maximum": 0}], "oneOf": [{"type": "integer"}, {"type": "string"}]},
     [2, 6, 0], [1]),
    ("allOf", {"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "maximum": 3}, {"multipleOf": 2}]}, [2], [1, 4, 0]),
    ("allOf of multiples", {"type": "number", "allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, [0, 6], [2, 3, 4]),
    ("allOf of patterns", {"type": "string", "allOf": [{"pattern": "^a"}, {"pattern": "c"}]}, ["abc", "abcd"], ["ab", "red"]),
    ("allOf of enums", {"allOf": [{"enum": [1, "red", True]}, {"enum": [True, "red"]}]}, ["red", True], [1]),
    ("allOf of unions", {"allOf": [{"anyOf": [{"minimum": 2}, {"maximum": 0}]}, {"anyOf": [{"multipleOf": 3}, {"multipleOf": 5}]}],
                         "type": "integer"}, [3, 5, 10, 0], [1, 2, 4]),
    ("allOf of objects", {"allOf": [
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2}}, "required": ["a"]},
        {"properties": {"a": {"maximum": 4}, "b": RED}},
    ]}, [{"a": 3}, {"a": 2, "b": "red"}], [{"a": 5}, {"a": 1}, {"b": "red"}]),
    ("allOf with a closed part", {"allOf": [
        {"type": "object", "properties": {"a": RED}, "additionalProperties": False}, {"properties": {"b": RED}},
    ]}, [{"a": "red"}, {}], [{"b": "red"}]),
    ("nullable", {"type": "string", "nullable": True, "maxLength": 3}, ["red", None], ["blue"]),
    ("nullable and an enum without null", {"type": "string", "nullable": True, "enum": ["red"]}, ["red"], [None]),
    ("nullable and an enum with null", {"type": "string", "nullable": True, "enum": ["red", None]}, ["red", None], ["blue"]),
    ("nullable beside anyOf", {"nullable": True, "anyOf": [RED, {"type": "integer"}]}, ["red", 1, None], [0.5]),
    ("allOf of nullable and not", {"allOf": [{"type": "string", "nullable": True}, {"type": "string"}]}, ["red"], [None]),
    ("a type list", {"type": ["integer", "null", "string"], "minimum": 3, "maxLength": 2}, [3, None, "ab"], [2, "abc", 2.5]),
    ("a type list with a void type", {"type": ["integer", "string"], "minimum": 5, "maximum": 4}, ["red"], [4, 5]),
    ("no type: a number or words", {}, ["red", 2.5], [True, None, []]),
    ("no type but a keyword", {"minLength": 3}, ["red"], ["ab", 3]),
    ("no type but keywords of two", {"minLength": 3, "minimum": 2}, ["red", 3], ["ab", 1]),
    ("true is any schema", {"type": "object", "properties": {"a": True}}, [{"a": "red"}, {"a": 3}], [{"a": None}]),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::constrained_du.specs.spec.SpecWarning")
@pytest.mark.parametrize(("schema", "yes", "no"), [row[1:] for row in OBEYED], ids=[row[0] for row in OBEYED])
def test_what_is_supported_is_obeyed(schema: Raw, yes: list[JsonValue], no: list[JsonValue]) -> None:
    assert [value for value in yes if not admits(schema, value)] == []
    assert [value for value in no if admits(schema, value)] == []


NODE = {"type": "object", "properties": {"name": RED, "next": {"$ref": "#/$defs/node"}}, "required": ["name"]}
REFERRED: Sequence[tuple[str, Raw, Raw, list[JsonValue], list[JsonValue]]] = [
    ("a plain reference", {"$ref": "#/$defs/c"}, {"c": RED}, ["red"], ["green"]),
    ("a reference with annotations", {"$ref": "#/$defs/c", "description": "which", "default": "x"}, {"c": RED}, ["red"], ["green"]),
    ("a reference with a sibling", {"$ref": "#/$defs/c", "maxLength": 3}, {"c": RED}, ["red"], ["blue"]),
    ("a reference that is nullable", {"$ref": "#/$defs/c", "type": ["string", "null"]}, {"c": {"type": "string"}}, ["red"], [None]),
    ("a name with slashes and blanks", {"$ref": "#/$defs/a~1b%20c"}, {"a/b c": RED}, ["red"], ["green"]),
    ("references in a row", {"$ref": "#/$defs/a"}, {"a": {"$ref": "#/$defs/b"}, "b": RED}, ["red"], ["green"]),
    ("allOf of references", {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
     {"a": {"type": "integer", "minimum": 2}, "b": {"maximum": 4}}, [3], [1, 5]),
    ("a recursive list", {"$ref": "#/$defs/node"}, {"node": NODE},
     [{"name": "red"}, {"name": "red", "next": {"name": "blue", "next": {"name": "red"}}}],
     [{}, {"name": "red", "next": {}}, {"next": {"name": "red"}}]),
    ("a recursive tree", {"$ref": "#/$defs/tree"},
     {"tree": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/tree"}]}}},
     [[], [1, [2, []]], [[[3]]]], [["red"], [[True]], 1]),
    ("recursion through allOf", {"$ref": "#/$defs/node"},
     {"node": {"type": "object", "properties": {"n": RED, "next": {"allOf": [{"$ref": "#/$defs/node"}], "description": "more"}}}},
     [{}, {"next": {"next": {"n": "red"}}}], [{"next": {"n": "green"}}]),
    ("recursion with a sibling", {"$ref": "#/$defs/node"},
     {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node", "minProperties": 1}, "n": RED}}},
     [{}, {"next": {"n": "red"}}], [{"next": {}}, {"next": {"next": {}}}]),
    ("two that need each other", {"$ref": "#/$defs/a"},
     {"a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
     [{}, {"b": [{"b": []}, {}]}], [{"b": {}}, []]),
    ("oneOf of text and recursion", {"$ref": "#/$defs/e"},
     {"e": {"type": "object", "properties": {"of": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/e"}]}}, "required": ["of"]}},
     [{"of": "red"}, {"of": {"of": "blue"}}], [{"of": {}}, {"of": 1}]),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::constrained_du.specs.spec.SpecWarning")
@pytest.mark.parametrize(("schema", "definitions", "yes", "no"), [row[1:] for row in REFERRED], ids=[row[0] for row in REFERRED])
def test_references_are_followed(schema: Raw, definitions: Raw, yes: list[JsonValue], no: list[JsonValue]) -> None:
    assert [value for value in yes if not admits(schema, value, definitions)] == []
    assert [value for value in no if admits(schema, value, definitions)] == []


@pytest.mark.parametrize(
    "keyword",
    ["title", "description", "examples", "example", "default", "deprecated", "readOnly", "writeOnly", "$comment", "$id",
     "externalDocs", "contentMediaType", "x-anything", "x-order"],
)  # fmt: skip
def test_an_annotation_changes_nothing(keyword: str) -> None:
    value = {"title": "t", "description": "d", "examples": ["green"], "deprecated": True}.get(keyword, "green")
    assert admits({**RED, keyword: value}, "red")
    assert not admits({**RED, keyword: value}, "green")
    assert warned({**RED, keyword: value}) == []


# ---- refused -----------------------------------------------------------------------------

FOREIGN = ["not", "if", "then", "else", "contains", "minContains", "patternProperties", "propertyNames", "maxProperties",
           "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "minimun",
           "enums", "divisibleBy", "contentSchema"]  # fmt: skip


@pytest.mark.parametrize("where", ["", ".items", ".properties.a", ".anyOf[1]", ".allOf[0]", ".$ref"])
@pytest.mark.parametrize("keyword", FOREIGN)
def test_a_keyword_that_is_not_obeyed_is_refused_with_its_path(keyword: str, where: str) -> None:
    bad: Raw = {"type": "string", keyword: {"const": 1}}
    inside: dict[str, Raw] = {
        "": bad, ".items": {"type": "array", "items": bad}, ".properties.a": {"type": "object", "properties": {"a": bad}},
        ".anyOf[1]": {"anyOf": [{"type": "null"}, bad]}, ".allOf[0]": {"allOf": [bad]}, ".$ref": {"$ref": "#/$defs/d"},
    }  # fmt: skip
    with pytest.raises(UnsupportedSchemaError) as refusal:
        function(inside[where], {"d": bad})
    assert refusal.value.path == f"{SLOT}{where}.{keyword}"
    assert keyword in str(refusal.value)


REFUSED: Sequence[tuple[str, Raw, type[SpecError], str, str]] = [
    ("a foreign format", {"type": "string", "format": "postal-code"}, UnsupportedSchemaError, ".format", "postal-code"),
    ("a foreign format of a number", {"type": "integer", "format": "roman"}, UnsupportedSchemaError, ".format", "roman"),
    ("a foreign format of a boolean", {"type": "boolean", "format": "yesno"}, UnsupportedSchemaError, ".format", "yesno"),
    ("a format that is no text", {"type": "string", "format": 5}, UnsupportedSchemaError, ".format", "5"),
    ("a number's format on a string", {"type": "string", "format": "int32"}, UnsupportedSchemaError, ".format", "int32"),
    ("a pattern outside the dialect", {"type": "string", "pattern": "(?=a)b"}, UnsupportedSchemaError, ".pattern", "look-around"),
    ("a malformed pattern", {"type": "string", "pattern": "[a"}, UnsupportedSchemaError, ".pattern", "not closed"),
    ("a pattern that is no text", {"type": "string", "pattern": ["a"]}, SpecError, ".pattern", "text"),
    ("free text under a pattern too large", {"type": "string", "x-value": "free", "pattern": "^(a|b)*a(a|b){14}$"},
     UnsupportedSchemaError, ".pattern", "states"),
    ("free text that no pattern leaves", {"type": "string", "x-value": "free", "pattern": "^a{9}$", "maxLength": 3}, SpecError,
     ".pattern", "no text"),
    ("options of oneOf that meet", {"oneOf": [{"type": "integer"}, {"type": "number"}]}, UnsupportedSchemaError, ".oneOf", "oneOf"),
    ("oneOf of two strings", {"oneOf": [{"type": "string"}, {"enum": ["red"]}]}, UnsupportedSchemaError, ".oneOf", "together"),
    ("a reference out of the document", {"$ref": "other.json#/a"}, UnsupportedSchemaError, ".$ref", "other.json"),
    ("a reference by anchor", {"$ref": "#place"}, UnsupportedSchemaError, ".$ref", "#place"),
    ("a reference to nothing", {"$ref": "#/$defs/ghost"}, SpecError, ".$ref", "ghost"),
    ("a reference that is no text", {"$ref": 5}, UnsupportedSchemaError, ".$ref", "5"),
    ("prefixItems met by items", {"allOf": [{"prefixItems": [RED]}, {"items": RED}]}, UnsupportedSchemaError, ".prefixItems", "allOf"),
    ("two different formats", {"allOf": [{"type": "string", "format": "date"}, {"format": "time"}]}, UnsupportedSchemaError,
     ".format", "format"),
    ("an empty enum", {"enum": []}, SpecError, ".enum", "at least one"),
    ("an enum that is no list", {"enum": "red"}, SpecError, ".enum", "at least one"),
    ("an enum of nothing that fits", {"type": "integer", "enum": ["a", True]}, SpecError, ".enum", "integer"),
    ("a const of another type", {"type": "string", "const": 5}, SpecError, ".const", "string"),
    ("an enum value that JSON lacks", {"enum": [float("inf")]}, SpecError, ".enum[0]", "inf"),
    ("half a surrogate pair", {"enum": ["\ud800"]}, SpecError, ".enum[0]", "surrogate"),
    ("a type that is a number", {"type": 5}, SpecError, ".type", "5"),
    ("an empty type list", {"type": []}, SpecError, ".type", "[]"),
    ("a bound that is a text", {"type": "integer", "minimum": "1"}, SpecError, ".minimum", "'1'"),
    ("a bound that is true", {"type": "integer", "maximum": True}, SpecError, ".maximum", "True"),
    ("exclusiveMinimum of draft 4", {"type": "integer", "minimum": 1, "exclusiveMinimum": True}, SpecError, ".exclusiveMinimum", "True"),
    ("multipleOf nothing", {"type": "integer", "multipleOf": 0}, SpecError, ".multipleOf", "above 0"),
    ("no integer between", {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, SpecError, "", "bounds"),
    ("no multiple between", {"type": "number", "minimum": 1, "maximum": 2, "multipleOf": 5}, SpecError, "", "bounds"),
    ("no number between", {"type": "number", "minimum": 1, "exclusiveMaximum": 1}, SpecError, "", "bounds"),
    ("lengths that cross", {"type": "string", "minLength": 4, "maxLength": 3}, SpecError, "", "minLength 4"),
    ("a length below 0", {"type": "string", "minLength": -1}, SpecError, ".minLength", "-1"),
    ("a length of a half", {"type": "string", "maxLength": 2.5}, SpecError, ".maxLength", "2.5"),
    ("counts of items that cross", {"type": "array", "items": RED, "minItems": 3, "maxItems": 2}, SpecError, "", "minItems 3"),
    ("more items than a tuple has", {"type": "array", "prefixItems": [RED], "items": False, "minItems": 2}, SpecError, "", "minItems 2"),
    ("more distinct items than values", {"type": "array", "items": RED, "uniqueItems": True, "minItems": 3}, SpecError, "", "distinct"),
    ("uniqueItems that is a text", {"type": "array", "uniqueItems": "yes"}, SpecError, ".uniqueItems", "yes"),
    ("prefixItems that is an object", {"type": "array", "prefixItems": {}}, SpecError, ".prefixItems", "list"),
    ("properties that is a list", {"type": "object", "properties": ["a"]}, SpecError, ".properties", "object"),
    ("required that is a text", {"type": "object", "required": "a"}, SpecError, ".required", "list"),
    ("more properties than there are", {"type": "object", "properties": {"a": RED}, "minProperties": 2}, SpecError, "", "minProperties 2"),
    ("additionalProperties that is a text", {"type": "object", "additionalProperties": "no"}, SpecError, ".additionalProperties", "no"),
    ("a property without a name", {"type": "object", "properties": {"": RED}}, SpecError, ".properties", "name"),
    ("anyOf that is empty", {"anyOf": []}, SpecError, ".anyOf", "anyOf"),
    ("allOf that is empty", {"allOf": []}, SpecError, ".allOf", "allOf"),
    ("anyOf of nothing that fits", {"type": "string", "anyOf": [{"type": "integer"}, False]}, SpecError, ".anyOf[1]", "no value"),
    ("allOf of types that exclude each other", {"allOf": [{"type": "string"}, {"type": "integer"}]}, SpecError, ".type", "both"),
    ("allOf of constants that differ", {"allOf": [{"const": 1}, {"const": True}]}, SpecError, ".const", "both"),
    ("allOf of enums that differ", {"allOf": [{"enum": [1]}, {"enum": [True]}]}, SpecError, ".enum", "both"),
    ("a required property that is ruled out", {"allOf": [
        {"type": "object", "properties": {"a": RED}, "required": ["a"]}, {"additionalProperties": False, "type": "object"}]},
     SpecError, ".required", "'a'"),
    ("a schema that is a text", {"type": "array", "items": "string"}, SpecError, ".items", "object"),
    ("a schema that is false", {"type": "object", "properties": {"a": False}}, SpecError, ".properties.a", "False"),
    ("nullable that is a text", {"type": "string", "nullable": "yes"}, SpecError, ".nullable", "yes"),
    ("x-value of another kind", {"type": "string", "x-value": "loose"}, SpecError, ".x-value", "loose"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::constrained_du.specs.spec.SpecWarning")
@pytest.mark.parametrize(("schema", "kind", "path", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_obeyed_is_refused(schema: Raw, kind: type[SpecError], path: str, words: str) -> None:
    with pytest.raises(SpecError) as refusal:
        function(schema)
    assert isinstance(refusal.value, kind)
    assert refusal.value.path == f"{SLOT}{path}"
    assert words in refusal.value.problem


@pytest.mark.parametrize(
    ("definitions", "words"),
    [
        ({"a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"]}}, "no finite value"),
        ({"a": {"type": "array", "items": {"$ref": "#/$defs/a"}, "minItems": 1}}, "no finite value"),
        ({"a": {"$ref": "#/$defs/a"}}, "no finite value"),
        ({"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"type": "array", "prefixItems": [{"$ref": "#/$defs/a"}], "minItems": 1}},
         "no finite value"),
        ({"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}, "one of its own options"),
        ({"a": {"allOf": [{"$ref": "#/$defs/a"}, {"minLength": 1}]}}, "nested deeper"),
    ],
    ids=["object", "list", "itself", "tuple through a union", "its own option", "its own part"],
)  # fmt: skip
def test_a_cycle_without_a_finite_value_is_refused(definitions: Raw, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        function({"$ref": "#/$defs/a"}, definitions)


def test_every_problem_of_a_list_is_named_at_once() -> None:
    specs = [{"name": f"f{n}", "parameters": {"properties": {"v": {"type": "string", "if": {}} if n % 20 == 7 else RED}}}
             for n in range(50)]  # fmt: skip
    with pytest.raises(UnsupportedSchemaError) as refusal:
        read_specs(specs)
    assert [path in str(refusal.value) for path in ("$[7].", "$[27].", "$[47].")] == [True] * 3
    problems: list[SpecError] = []
    assert len(read_specs(specs, problems=problems)) == 47
    assert [problem.path for problem in problems] == [f"$[{n}].parameters.properties.v.if" for n in (7, 27, 47)]


# ---- warned of ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object", "properties": {"a": RED}, "required": ["ghost"]}, "ghost"),
        ({"type": "object", "additionalProperties": True}, "stays closed"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "stays closed"),
        ({"type": "integer", "maxLength": 3}, "maxLength says nothing about integer"),
        ({"type": "string", "minimum": 3}, "minimum says nothing about string"),
        ({"type": "integer", "format": "date"}, "says nothing about integer"),
        ({"type": "boolean", "items": {}}, "items says nothing about boolean"),
        ({"enum": ["a", "a"]}, "listed twice"),
        ({"enum": [1, 1.0]}, "listed twice"),
        ({"type": "integer", "enum": [1, "1"]}, "not of type integer"),
        ({"enum": ["ab", "b"], "minLength": 2}, "does not fit"),
        ({"type": "string", "required": True}, "required"),
        ({"type": "array", "items": RED, "additionalItems": False}, "additionalItems"),
        ({"type": "string", "anyOf": [{"maxLength": 3}, {"type": "integer"}]}, "left out"),
        ({"type": ["integer", "string"], "minimum": 2, "maximum": 1}, "integer is left out"),
    ],
)
def test_what_is_probably_not_meant_is_a_warning(schema: Raw, words: str) -> None:
    found = warned(schema)
    assert len(found) == 1
    assert words in found[0] and SLOT in found[0]


# ---- limits ------------------------------------------------------------------------------


def nested(levels: int) -> Raw:
    schema: Raw = {"type": "boolean"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


def test_depth_has_a_limit_with_its_name() -> None:
    function(nested(MAX_DEPTH - 2))
    with pytest.raises(SpecError, match=f"deeper than {MAX_DEPTH}"):
        function(nested(MAX_DEPTH + 4))


def test_a_function_has_a_limit_of_schemas() -> None:
    doubling = {f"d{n}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(20)}
    with pytest.raises(SpecError, match=str(MAX_NODES)):
        function({"$ref": "#/$defs/d0"}, {**doubling, "d20": RED})


def test_definitions_that_all_need_each_other_are_read_once_each() -> None:
    names = [f"d{n}" for n in range(12)]
    every = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    read = function({"$ref": "#/$defs/d0"}, {name: {"type": "object", "properties": every} for name in names})
    assert len(read.definitions) == 12
    assert Binder("x").bind(read).admits({"v": {"d3": {"d11": {"d0": {}}}}})


def test_large_unions_multiplied_out_are_refused() -> None:
    union = {"anyOf": [{"minimum": n} for n in range(15)]}
    with pytest.raises(UnsupportedSchemaError, match="15"):
        function({"type": "integer", "allOf": [union, {"anyOf": [{"maximum": n} for n in range(15)]}]})


# ---- numbers and equality ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "value", "fits"),
    [
        (Number(False, multiple_of=None), float("nan"), False), (Number(False), float("inf"), False), (Number(False), True, False),
        (Number(True), 3.0, True), (Number(True), 3.5, False), (Number(True), 10**40, True),
    ],
)  # fmt: skip
def test_a_number_is_a_json_number(number: Number, value: JsonValue, fits: bool) -> None:
    assert number.admits(value) is fits


@pytest.mark.parametrize(
    ("step", "value", "fits"),
    [(0.1, 0.3, True), (0.01, 1.13, True), (0.1, 0.35, False), (3, 10**30, False), (3, 3 * 10**40, True), (7, 7 * 10**29 + 1, False),
     (1e-7, 1e-6, True), (0.5, 1e300, True), (2, -4, True)],
)  # fmt: skip
def test_multiples_are_exact_at_any_size(step: float, value: float, fits: bool) -> None:
    read = function({"type": "number", "multipleOf": step})
    assert isinstance(read.slots[0].schema, Number)
    assert read.slots[0].schema.admits(value) is fits


@given(st.data())
def test_equal_json_has_equal_keys(data: st.DataObject) -> None:
    json = st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([1e15, 10**15, 1.0, -0.0, 1e22, "1", ""])),
        lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)), max_leaves=3,
    )  # fmt: skip
    left, right = data.draw(json), data.draw(json)
    assert (json_key(left) == json_key(right)) == same_json(left, right)


# ---- candidates of the caller ------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "given", "sayable"),
    [
        (RED, "red", ["red"]), (RED, "Red", []), ({"type": "string"}, "anything", ["anything"]), ({"type": "string", "maxLength": 2}, "abc", []),
        ({"type": "integer"}, 7, [7]), ({"type": "integer"}, "7", [7]), ({"type": "integer"}, 7.5, []), ({"type": "integer", "maximum": 5}, 7, []),
        ({"type": "number"}, 7.5, [7.5]), ({"type": "boolean"}, True, [True]), ({"type": "boolean"}, "true", []),
        ({"type": "city"}, "AMS", ["AMS"]), ({"type": ["string", "null"]}, "x", ["x"]), ({"anyOf": [RED, {"type": "integer"}]}, 3, [3]),
    ],
)  # fmt: skip
def test_a_candidate_is_a_value_only_where_the_schema_has_it(schema: Raw, given: JsonValue, sayable: list[JsonValue]) -> None:
    candidates = Candidates({"v": (Choice(given, None, "entity"),)})
    grammar = Binder("red 7", candidates).bind(function(schema))
    pool = ["red", "blue", "Red", "AMS", "x", "anything", "abc", 7, 7.5, 3, "7", True, False, None]
    assert [value for value in pool if grammar.admits({"v": value})] == sayable


# ---- against jsonschema ------------------------------------------------------------------


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(document=documents(), data=st.data())
def test_the_verdict_is_jsonschemas(document: Raw, data: st.DataObject) -> None:
    """On values of a small world that is all said in the utterance; objects are closed in these schemas."""
    slot = document["properties"]["v"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpecWarning)
            [read] = read_specs([{"name": "f", "parameters": document}])
    except SpecError:  # void, circular, or a oneOf whose options meet
        return
    judge = jsonschema.Draft202012Validator({**slot, "$defs": document["$defs"]})
    for _ in range(4):
        value = data.draw(instances(slot, document))
        try:
            expected = judge.is_valid(value)
        except RecursionError:  # a schema that is its own part; ours refuses most of them
            return
        assert Binder(UTTERANCE).bind(read).admits({"v": value}) == expected
