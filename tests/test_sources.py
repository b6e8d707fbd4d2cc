"""Every kind of spec that people have is read into the same shape, or refused with its place."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrained_du.errors import SpecError
from constrained_du.sources import RawFunction, read_functions, to_native
from constrained_du.sources.raw import names_from_label

COLOUR = {"type": "string", "enum": ["red", "green"], "description": "which colour"}
PARAMETERS = {"type": "object", "properties": {"colour": COLOUR}, "required": ["colour"]}
COMPLETE = {**PARAMETERS, "$defs": {}}


def one(source: object) -> RawFunction:
    functions = read_functions(source)
    assert len(functions) == 1
    return functions[0]


def again(raw: RawFunction) -> RawFunction:
    """What its native form reads as, as if it stood in the same place."""
    text = json.dumps(to_native(raw), ensure_ascii=False)
    copy = one(json.loads(text))
    return dataclasses.replace(copy, path=raw.path, parameters_path=raw.parameters_path)


# -- lists of tools -------------------------------------------------------------------

FLAT = {"name": "paintWall", "description": "Paint a wall", "parameters": PARAMETERS}
SHAPES: list[tuple[str, object, str, str]] = [
    ("legacy", FLAT, "$", "$.parameters"),
    ("flat with type", {"type": "function", **FLAT}, "$", "$.parameters"),
    ("nested", {"type": "function", "function": FLAT}, "$", "$.function.parameters"),
    ("nested without type", {"function": FLAT}, "$", "$.function.parameters"),
    ("a list", [FLAT], "$[0]", "$[0].parameters"),
    ("functions", {"functions": [FLAT]}, "$.functions[0]", "$.functions[0].parameters"),
    ("tools", {"tools": [{"function": FLAT}]}, "$.tools[0]", "$.tools[0].function.parameters"),
    (
        "Anthropic",
        {"name": "paintWall", "description": "Paint a wall", "input_schema": PARAMETERS},
        "$",
        "$.input_schema",
    ),
    (
        "MCP",
        {"tools": [{"name": "paintWall", "description": "Paint a wall", "inputSchema": PARAMETERS}]},
        "$.tools[0]",
        "$.tools[0].inputSchema",
    ),
    (
        "an MCP response",
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**FLAT}]}},
        "$.result.tools[0]",
        "$.result.tools[0].parameters",
    ),
]


@pytest.mark.parametrize(
    ("source", "path", "parameters_path"), [s[1:] for s in SHAPES], ids=[s[0] for s in SHAPES]
)
def test_every_shape_of_a_tool_reads_as_the_same_function(
    source: object, path: str, parameters_path: str
) -> None:
    raw = one(source)
    assert raw == RawFunction(
        path, "paintWall", ("paint wall",), "Paint a wall", COMPLETE, parameters_path, {}
    )
    assert again(raw) == raw


def test_opencui_style_keeps_names_and_every_other_key() -> None:
    spec = {
        "label": "paint",
        "name": ["paint a wall", "colour it"],
        "type": "slot_label",
        "headSlot": "colour",
        "x-link": "app://paint?c={colour}",
        "examples": ["paint it red"],
        "clarification": {"colour": "Which colour?"},
        "parameters": PARAMETERS,
    }
    raw = one(spec)
    assert raw.names == ("paint a wall", "colour it")
    assert dict(raw.extras) == {
        key: spec[key] for key in ("type", "headSlot", "x-link", "examples", "clarification")
    }
    assert again(raw) == raw


def test_an_mcp_title_is_the_human_name() -> None:
    assert one({"name": "a1", "title": "Paint a wall", "inputSchema": {}}).names == ("Paint a wall",)


@pytest.mark.parametrize("parameters", [None, {}, {"type": "object"}, {"properties": None, "required": None}])
def test_no_parameters_mean_a_function_without_slots(parameters: object) -> None:
    assert one({"name": "stop", "parameters": parameters}).parameters == {
        "type": "object", "properties": {}, "required": [], "$defs": {},
    }  # fmt: skip


def test_required_that_names_no_slot_is_kept_for_the_spec_reader() -> None:
    assert one({"name": "stop", "parameters": {"required": ["ghost"]}}).parameters["required"] == ["ghost"]


def test_older_definitions_become_defs_and_data_is_left_alone() -> None:
    raw = one(
        {
            "name": "plant",
            "parameters": {
                "definitions": {"tree": {"type": "string", "default": {"$ref": "#/definitions/tree"}}},
                "properties": {"what": {"$ref": "#/definitions/tree"}, "definitions": {"type": "integer"}},
            },
        }
    )
    assert raw.parameters["$defs"] == {"tree": {"type": "string", "default": {"$ref": "#/definitions/tree"}}}
    assert raw.parameters["properties"]["what"] == {"$ref": "#/$defs/tree"}
    assert list(raw.parameters["properties"]) == ["what", "definitions"]


LABELS = [
    "book.table",
    "a/b",
    "with blank",
    'quo"te',
    "it's",
    "天気を調べる",
    "🎉",
    "Ünïcode",
    "x" * 250,
    "line\nbreak",
    " padded ",
]


@pytest.mark.parametrize("label", LABELS)
def test_a_label_in_any_script_comes_back_exactly(label: str) -> None:
    raw = one([{"name": label, "parameters": {"properties": {label: {"type": "string"}}}}])
    assert raw.label == label
    assert list(raw.parameters["properties"]) == [label]
    assert again(raw) == raw


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("get_current_weather", "get current weather"),
        ("getCurrentWeather", "get current weather"),
        ("BookTable", "book table"),
        ("fetchURLForPage2", "fetch URL for page2"),
        ("home.lights/turn-on", "home lights turn on"),
        ("get /pets/{id}", "get pets id"),
        ("Already a Name", "Already a Name"),
        ("天気を調べる", "天気を調べる"),
        ("___", "___"),
    ],
)
def test_a_human_name_is_made_of_the_label(label: str, name: str) -> None:
    assert names_from_label(label) == (name,)


@given(st.text(min_size=1).filter(lambda text: text.strip() and "\0" not in text))
def test_any_text_is_a_label_and_has_a_name(label: str) -> None:
    raw = one({"name": label})
    assert raw.label == label and raw.names[0]
    assert again(raw) == raw


# -- what is refused ---------------------------------------------------------------------


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


def with_slot(schema: object) -> list[object]:
    return [{"name": "f", "parameters": {"properties": {"s": schema}}}]


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

REFUSED: list[tuple[object, str, str]] = [
    ([{"description": "x"}], "$[0]", 'no name - give it a "name"'),
    ({"name": ""}, "$.name", "empty"),
    ({"name": "  "}, "$.name", "empty"),
    ({"name": 5}, "$.name", "5"),
    ({"name": ["a"]}, "$.name", "name"),
    ({"label": "", "name": ["a"]}, "$.label", "label"),
    ({"label": "a", "name": ["b", ""]}, "$.name[1]", "empty"),
    ({"label": "a", "name": 7}, "$.name", "7"),
    ({"name": "a\0b"}, "$.name", "NUL"),
    ({"name": "a\ud800"}, "$.name", "surrogate"),
    ({"name": "a", "description": ["x"]}, "$.description", "text"),
    ({"name": "a", "parameters": []}, "$.parameters", "parameters"),
    ({"name": "a", "parameters": {"type": "array"}}, "$.parameters.type", "array"),
    ({"name": "a", "parameters": {"properties": ["bay"]}}, "$.parameters.properties", "properties"),
    ({"name": "a", "parameters": {"properties": {"bay": "string"}}}, "$.parameters.properties.bay", "string"),
    ({"name": "a", "parameters": {"properties": {"": {}}}}, "$.parameters.properties", "name"),
    ({"name": "a", "parameters": {"required": "bay"}}, "$.parameters.required", "required"),
    ({"name": "a", "parameters": {"required": ["bay", 3]}}, "$.parameters.required[1]", "3"),
    ({"name": "a", "parameters": {"$defs": []}}, "$.parameters.$defs", "$defs"),
    ({"name": "a", "parameters": {"$ref": "#/$defs/b"}}, "$.parameters.$ref", "#/$defs/b"),
    ({"name": "a", "parameters": {}, "inputSchema": {}}, "$.inputSchema", "both"),
    ({"type": "web_search"}, "$", "web_search"),
    (with_slot({"enum": {1, 2}}), "$[0].parameters.properties.s.enum", "set"),
    (with_slot({"maximum": math.nan}), "$[0].parameters.properties.s.maximum", "nan"),
    (with_slot({"const": b"x"}), "$[0].parameters.properties.s.const", "bytes"),
    (with_slot({"const": 10**5000}), "$[0].parameters.properties.s.const", "bits"),
    (with_slot({1: 2}), "$[0].parameters.properties.s.1", "key"),
    (with_slot({"enum": CYCLE}), "$[0].parameters.properties.s.enum", "nested"),
    (with_slot(nested(100)), "$[0].parameters", "nested deeper"),
    (with_slot(nested(20_000)), "$[0].parameters", "nested deeper"),
    ({"tools": 5, "functions": []}, "$.tools", "list"),
    ({"tools": [5]}, "$.tools[0]", "5"),
    ([[FLAT]], "$[0]", "list inside a list"),
    (5, "$", "5"),
    ({1, 2}, "$", "set"),
    (None, "$", "null"),
    ("no/such/file.json", "$", "no/such/file.json"),
    ("", "$", "path"),
    ("a\0b.json", "$", "file"),
    ("x" * 5000, "$", "path"),
]


@pytest.mark.parametrize(("source", "path", "words"), REFUSED)
def test_what_is_no_spec_is_refused_with_its_place(source: object, path: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_functions(source)
    assert caught.value.path.startswith(path)
    assert words in caught.value.problem
    assert len(str(caught.value)) < 600
    str(caught.value).encode()


def test_all_bad_functions_are_named_and_the_good_ones_are_read() -> None:
    problems: list[SpecError] = []
    functions = read_functions(
        [{"name": "a"}, {"name": ""}, {"name": "b"}, 7, {"description": "c"}], problems
    )
    assert [raw.label for raw in functions] == ["a", "b"]
    assert [problem.path for problem in problems] == ["$[1].name", "$[3]", "$[4]"]


def test_the_caller_s_own_document_is_not_changed_by_reading() -> None:
    before = json.dumps(SHAPES[3][1])
    raw = one(SHAPES[3][1])
    raw.parameters["properties"].clear()
    assert json.dumps(SHAPES[3][1]) == before


# -- OpenCUI's native form ------------------------------------------------------------------


NATIVE = {
    "skills": {
        "order_food": {
            "name": "order food",
            "label": "order_food",
            "description": "Order dishes",
            "slots": ["dishes", "when"],
            "headSlot": "dishes",
            "type": "skill",
        },
        "Dish": {"type": "frame", "slots": ["kind", "side"]},
        "stop": {"description": "Stop"},
    },
    "slots": {
        "orderFood.dishes": {
            "name": "dishes",
            "type": "Dish",
            "multi_value": True,
            "prompts": ["Which dishes?"],
        },
        "when": {"description": "the time", "type": "java.time.LocalTime"},
        "Dish.kind": {"type": "DishKind", "examples": ["pizza"]},
        "Dish.side": {"type": "Dish"},
    },
}


def test_native_skills_become_functions_and_frames_become_objects() -> None:
    order, stop = read_functions(NATIVE)
    assert (order.label, order.names, order.description) == ("order_food", ("order food",), "Order dishes")
    assert order.parameters["properties"] == {
        "dishes": {"type": "array", "items": {"$ref": "#/$defs/Dish"}, "title": "dishes"},
        "when": {"type": "string", "format": "time", "description": "the time"},
    }
    assert order.parameters["$defs"] == {
        "Dish": {
            "type": "object",
            "properties": {
                "kind": {"type": "DishKind", "examples": ["pizza"]},
                "side": {"$ref": "#/$defs/Dish"},
            },
            "required": [],
        }
    }
    assert order.extras == {
        "headSlot": "dishes",
        "type": "skill",
        "slots": {"dishes": {"prompts": ["Which dishes?"]}},
    }
    assert stop.parameters["properties"] == {}
    assert [again(order), again(stop)] == [order, stop]


@pytest.mark.parametrize(
    ("skills", "slots", "path", "words"),
    [
        ({"a": {"slots": ["q"]}}, {}, "$.skills.a.slots[0]", '"q"'),
        ({"a": {"slots": "q"}}, {}, "$.skills.a.slots", "list"),
        ({"a": 5}, {}, "$.skills.a", "5"),
        ({"": {}}, {}, "$.skills.", "empty"),
        ({"a": {"slots": ["q"]}}, {"q": []}, "$.slots.q", "object"),
        ({"a": {"slots": ["q"]}}, {"q": {"type": 3}}, "$.slots.q.type", "3"),
    ],
)
def test_a_native_document_that_does_not_hold_together_is_refused(
    skills: object, slots: object, path: str, words: str
) -> None:
    with pytest.raises(SpecError) as caught:
        read_functions({"skills": skills, "slots": slots})
    assert caught.value.path == path
    assert words in caught.value.problem
