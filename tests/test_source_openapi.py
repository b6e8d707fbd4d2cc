"""An OpenAPI document's operations become functions, its dialect JSON Schema."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from constrained_du.errors import SpecError
from constrained_du.sources import RawFunction, read_functions, to_native


def one(source: object) -> RawFunction:
    functions = read_functions(source)
    assert len(functions) == 1
    return functions[0]


def again(raw: RawFunction) -> RawFunction:
    """What its native form reads as, as if it stood in the same place."""
    copy = one(json.loads(json.dumps(to_native(raw), ensure_ascii=False)))
    return dataclasses.replace(copy, path=raw.path, parameters_path=raw.parameters_path)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


def api(paths: object, version: str = "3.0.3", **components: object) -> dict[str, Any]:
    return {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": paths,
        "components": components,
    }


def operation(**keys: object) -> dict[str, Any]:
    return api({"/things/{id}": {"post": {"operationId": "change", **keys}}})


def asking(schema: object) -> dict[str, Any]:
    return operation(parameters=[{"name": "a", "in": "query", "schema": schema}])


def slots_of(document: object) -> dict[str, Any]:
    properties = one(document).parameters["properties"]
    assert isinstance(properties, dict)
    return properties


def json_body(schema: object, **keys: object) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}, **keys}


def test_an_operation_is_a_function_with_its_parameters_and_body() -> None:
    document = api(
        {
            "/shelves/{shelf}/books": {
                "parameters": [{"$ref": "#/components/parameters/Shelf"}],
                "post": {
                    "operationId": "addBook",
                    "summary": "Add a book.",
                    "x-link": "app://add",
                    "parameters": [
                        {
                            "name": "dry",
                            "in": "query",
                            "description": "only try",
                            "schema": {"type": "boolean"},
                        },
                        {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                    ],
                    "requestBody": {"$ref": "#/components/requestBodies/Book"},
                },
            }
        },
        parameters={
            "Shelf": {"name": "shelf", "in": "path", "required": True, "schema": {"type": "integer"}}
        },
        requestBodies={"Book": json_body({"$ref": "#/components/schemas/Book"}, required=True)},
        schemas={
            "Book": {
                "type": "object",
                "required": ["title", "id"],
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "title": {"type": "string"},
                    "author": {"$ref": "#/components/schemas/Person"},
                },
            },
            "Person": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "teacher": {"$ref": "#/components/schemas/Person"},
                },
            },
            "Unused": {"type": "string"},
        },
    )
    raw = one(document)
    assert (raw.path, raw.label, raw.description) == (
        "$.paths./shelves/{shelf}/books.post",
        "addBook",
        "Add a book.",
    )
    assert raw.names == ("add book",)
    assert raw.parameters == {
        "type": "object",
        "properties": {
            "shelf": {"type": "integer"},
            "dry": {"type": "boolean", "description": "only try"},
            "title": {"type": "string"},
            "author": {"$ref": "#/$defs/Person"},
        },
        "required": ["shelf", "title"],
        "$defs": {
            "Person": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "teacher": {"$ref": "#/$defs/Person"}},
            }
        },
    }
    assert raw.extras["x-link"] == "app://add"
    assert raw.extras["x-http"]["slots"]["title"] == {"in": "body", "name": "title"}
    assert again(raw) == raw


def test_an_operation_without_an_id_is_called_by_method_and_path() -> None:
    raw = one(api({"/pets/{id}": {"get": {"summary": "One pet"}}}))
    assert (raw.label, raw.names) == ("get /pets/{id}", ("One pet",))


def test_names_that_collide_keep_their_place_in_the_name() -> None:
    where = [
        {"name": "id", "in": place, "schema": {"type": "string"}} for place in ("query", "header", "path")
    ]
    body = json_body(
        {"type": "object", "properties": {"id": {"type": "integer"}, "body_id": {"type": "integer"}}}
    )
    raw = one(operation(parameters=where, requestBody=body))
    assert list(raw.parameters["properties"]) == ["query_id", "header_id", "id", "body_id_2", "body_id"]
    assert raw.extras["x-http"]["slots"]["body_id_2"] == {"in": "body", "name": "id"}
    assert raw.parameters["required"] == ["id"]


def test_an_operation_s_parameter_replaces_the_path_item_s() -> None:
    limit = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    item = {
        "parameters": [limit],
        "get": {"parameters": [{**limit, "required": True, "schema": {"maximum": 9}}]},
    }
    raw = one(api({"/a": item}))
    assert raw.parameters["properties"] == {"limit": {"maximum": 9}}
    assert raw.parameters["required"] == ["limit"]


@pytest.mark.parametrize(
    ("schema", "slots"),
    [
        ({"type": "array", "items": {"type": "string"}}, ["body"]),
        ({"type": "string"}, ["body"]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, ["body"]),
        ({"type": "object", "properties": {"a": {}}, "minProperties": 1}, ["body"]),
        ({"oneOf": [{"type": "object", "properties": {"a": {}}}]}, ["body"]),
        ({"allOf": [{"properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]}, ["a", "b"]),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"a": {"type": "string"}}}]}, ["body"]),
        ({"properties": {"a": {}, "r": {"readOnly": True}}}, ["a"]),
    ],
)
def test_a_body_is_spread_only_where_its_members_say_all(schema: object, slots: list[str]) -> None:
    assert list(slots_of(operation(requestBody=json_body(schema)))) == slots


@pytest.mark.parametrize(
    ("keys", "required"), [({}, ["a"]), ({"required": True}, ["a"]), ({"required": False}, [])]
)
def test_members_of_an_optional_body_are_optional(keys: dict[str, object], required: list[str]) -> None:
    body = json_body({"properties": {"a": {}}, "required": ["a"]}, **keys)
    assert one(operation(requestBody=body)).parameters["required"] == required


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        (
            {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 3},
        ),
        ({"type": "integer", "maximum": 3, "exclusiveMaximum": False}, {"type": "integer", "maximum": 3}),
        ({"exclusiveMinimum": 2}, {"exclusiveMinimum": 2}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"type": "string", "format": "password", "xml": {}}, {"type": "string"}),
        ({"items": {"type": "string", "nullable": True}}, {"items": {"type": ["string", "null"]}}),
        (
            {"properties": {"nullable": {"type": "string"}}, "enum": [{"nullable": True}]},
            {"properties": {"nullable": {"type": "string"}}, "enum": [{"nullable": True}]},
        ),
        (
            {"allOf": [{"type": "string"}], "nullable": True},
            {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]},
        ),
    ],
)
def test_openapi_s_own_dialect_becomes_json_schema(older: object, newer: object) -> None:
    parameter = {"name": "q", "in": "query", "schema": older}
    assert slots_of(operation(parameters=[parameter])) == {"q": newer}


def test_two_pointers_of_one_last_step_get_names_of_their_own() -> None:
    document = api(
        {
            "/a": {
                "get": {
                    "parameters": [
                        {"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/a~1b"}},
                        {"name": "y", "in": "query", "schema": {"$ref": "#/components/more/a~1b"}},
                        {"name": "z", "in": "query", "schema": {"$ref": "#/components/schemas/two%20words"}},
                    ]
                }
            }
        },
        schemas={"a/b": {"type": "string"}, "two words": {"type": "number"}},
        more={"a/b": {"type": "integer"}},
    )
    raw = one(document)
    assert raw.parameters["$defs"] == {
        "a/b": {"type": "string"},
        "a/b_2": {"type": "integer"},
        "two words": {"type": "number"},
    }
    assert raw.parameters["properties"]["y"] == {"$ref": "#/$defs/a~1b_2"}


POST = "$.paths./things/{id}.post"
BAD_API: list[tuple[object, str, str]] = [
    ({"swagger": "2.0", "paths": {}}, "$.swagger", "2.0"),
    ({"openapi": "4.0.0", "paths": {}}, "$.openapi", "4.0.0"),
    ({"openapi": "3.1.0", "paths": []}, "$.paths", "object"),
    (api({"/a": 5}), "$.paths./a", "5"),
    (api({"/a": {"get": []}}), "$.paths./a.get", "object"),
    (api({"/a": {"get": {"operationId": ""}}}), "$.paths./a.get.operationId", "empty"),
    (operation(parameters=[{"in": "query"}]), f"{POST}.parameters[0].name", "null"),
    (operation(parameters=[{"name": "a", "in": "moon"}]), f"{POST}.parameters[0].in", "moon"),
    (operation(parameters=[{"name": "a", "in": "query"}]), f"{POST}.parameters[0]", "schema"),
    (
        operation(parameters=[{"$ref": "#/components/parameters/Gone"}]),
        f"{POST}.parameters[0].$ref",
        "Gone",
    ),
    (
        operation(requestBody=json_body({"properties": {"a": {"$ref": "#/components/schemas/Gone"}}})),
        f"{POST}.requestBody.content.application/json.schema.properties.a.$ref",
        "Gone",
    ),
    (operation(requestBody=json_body({"$ref": "other.yaml#/A"})), "$.paths", "leaves the document"),
    (asking({"$ref": "https://x/y"}), "$.paths", "leaves"),
    (asking({"exclusiveMinimum": True}), "$.paths", "minimum"),
    (
        api(
            {"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/A"}]}}},
            parameters={"A": {"$ref": "#/components/parameters/A"}},
        ),
        "$.components.parameters.A",
        "circle",
    ),
    (operation(requestBody=json_body(nested(5_000))), "$.paths", "nested"),
]


@pytest.mark.parametrize(("document", "path", "words"), BAD_API)
def test_a_broken_openapi_document_is_refused_with_its_place(document: object, path: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_functions(document)
    assert caught.value.path.startswith(path)
    assert words in caught.value.problem


def test_one_bad_operation_does_not_hide_the_others() -> None:
    problems: list[SpecError] = []
    document = api({"/a": {"get": {"operationId": 5}, "put": {"operationId": "b"}}, "/c": {"get": {}}})
    assert [raw.label for raw in read_functions(document, problems)] == ["b", "get /c"]
    assert [problem.path for problem in problems] == ["$.paths./a.get.operationId"]


def test_schemas_that_refer_to_each_other_stay_references() -> None:
    document = api(
        {
            "/a": {
                "get": {
                    "parameters": [{"name": "q", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}]
                }
            }
        },
        schemas={"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}},
    )
    assert one(document).parameters["$defs"] == {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}
