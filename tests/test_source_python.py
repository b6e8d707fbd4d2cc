"""Python functions, models, dataclasses and TypedDicts are functions to call."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, Optional

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

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


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Trip(TypedDict):
    start: str
    goal: str


@dataclasses.dataclass
class Address:
    city: str
    number: int = 1


class Node(BaseModel):
    """A tree of names."""

    model_config = ConfigDict(title="plant a tree")

    name: str = Field(alias="called", description="its name", max_length=9)
    children: list[Node] = []


def order(  # type: ignore[no-untyped-def]
    dish: Annotated[str, Field(min_length=2)],
    size: Size,
    count: Annotated[int, Field(ge=1, le=9)] = 1,
    drink: Optional[Literal["tea", "water"]] = None,  # noqa: UP045 - as many people still write it
    to: Address | None = None,
    trips: list[Trip] = [],  # noqa: B006 - a default that JSON can hold
    note="",
    where=None,
):
    """Order a dish.

    It will be brought to you.

    Args:
        dish: what is eaten,
            in the user's words
        count (int): how many
    """


def test_a_function_s_hints_and_docstring_give_its_slots() -> None:
    raw = one(order)
    slots = raw.parameters["properties"]
    assert (raw.label, raw.description) == ("order", "Order a dish.\n\nIt will be brought to you.")
    assert list(slots) == ["dish", "size", "count", "drink", "to", "trips", "note", "where"]
    assert raw.parameters["required"] == ["dish", "size"]
    assert slots["dish"] == {
        "type": "string",
        "minLength": 2,
        "description": "what is eaten, in the user's words",
    }
    assert slots["count"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "description": "how many",
        "default": 1,
    }
    assert slots["drink"] == {"anyOf": [{"type": "string", "enum": ["tea", "water"]}, {"type": "null"}]}
    assert slots["note"] == {"type": "string", "default": ""}
    assert slots["where"] == {"type": "string"}
    assert raw.parameters["$defs"]["Size"]["enum"] == ["small", "large"]
    assert {"Address", "Trip", "Size"} == set(raw.parameters["$defs"])
    assert again(raw) == raw


def google(a: str, b: int) -> None:
    """Words.

    Args:
        a: first
        b: second
    """


def numpy(a: str, b: int) -> None:
    """Words.

    Parameters
    ----------
    a : str
        first
    b : int
        second
    """


def sphinx(a: str, b: int) -> None:
    """Words.

    :param a: first
    :param int b: second
    """


@pytest.mark.parametrize("function", [google, numpy, sphinx])
def test_docstrings_of_every_style_are_understood(function: Callable[..., None]) -> None:
    raw = one(function)
    told = [slot.get("description") for slot in raw.parameters["properties"].values()]
    assert (raw.description, told) == ("Words.", ["first", "second"])


class Kitchen:
    def cook(self, dish: str) -> None:
        """Cook it."""

    @functools.wraps(order)
    def wrapped(self, *args: object, **kwargs: object) -> None: ...


@pytest.mark.parametrize("source", [Kitchen.cook, Kitchen().cook, functools.partial(Kitchen().cook)])
def test_a_method_is_a_function_without_its_self(source: object) -> None:
    raw = one(source)
    assert (raw.label, list(raw.parameters["properties"])) == ("cook", ["dish"])


def test_a_wrapped_function_shows_what_it_wraps() -> None:
    assert one(Kitchen.wrapped).label == "order"


def stars(*things: str) -> None: ...
def double_stars(**things: str) -> None: ...
def unknown_type(a: Kitchen) -> None: ...
def forward(a: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (stars, "*things"),
        (double_stars, "**things"),
        (unknown_type, '"a"'),
        (forward, "Nowhere"),
        (lambda x: x, "<lambda>"),
        (Kitchen, "no function spec"),
        (RootModel[list[int]], "array"),
    ],
)
def test_a_python_object_that_tells_too_little_is_refused(source: object, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_functions([source])
    assert caught.value.path.startswith("$[0]")
    assert words in caught.value.problem


def test_a_model_s_fields_are_slots_and_its_title_a_name() -> None:
    raw = one(Node)
    assert (raw.label, raw.names, raw.description) == ("Node", ("plant a tree",), "A tree of names.")
    assert raw.parameters["required"] == ["called"]
    assert raw.parameters["properties"]["called"]["maxLength"] == 9
    assert raw.parameters["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert "Node" in raw.parameters["$defs"]
    assert again(raw) == raw


@pytest.mark.parametrize("source", [Address, Trip])
def test_dataclasses_and_typed_dicts_are_read_like_models(source: type) -> None:
    raw = one(source)
    assert raw.label == source.__name__
    assert raw.description == ""
    assert len(raw.parameters["properties"]) == 2


def test_everything_may_stand_in_one_list(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([{"name": "a"}]))
    api = {"openapi": "3.1.0", "paths": {"/b": {"get": {"operationId": "b"}}}}
    native: dict[str, object] = {"skills": {"c": {}}, "slots": {}}
    sources = [order, Node, path, api, native, {"tools": [{"name": "d"}]}, {"label": "e"}]
    assert [raw.label for raw in read_functions(sources)] == ["order", "Node", "a", "b", "c", "d", "e"]
