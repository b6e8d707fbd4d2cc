"""Functions without exemplars: what their own words and the model make of plain requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from constrained_du import Converter
from constrained_du.answers.slots import DOUBT, MEANT


def spec(label: str, description: str, **slots: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "description": told} for name, told in slots.items()}
    parameters = {"type": "object", "properties": properties, "required": list(slots)}
    return {"label": label, "name": [label.replace("_", " ")], "description": description, "parameters": parameters}


SPECS = [
    spec("add_to_list", "Add an item to a shopping list.", item="What to add.", list="Which list."),
    spec("send_message", "Send a text message to a contact.", recipient="Who gets it.", message="What the message says."),
    spec("set_reminder", "Remind the user of something at a time.", about="What to be reminded of.", time="When."),
    spec("get_weather", "Weather forecast for a place.", place="City or region.", day="The day."),
    spec("navigate", "Directions to a place.", destination="Where to go."),
]


@pytest.fixture(scope="module")
def bare(model_path: Path) -> Converter:
    return Converter(model_path).add_function_specs(SPECS).finalize()


@pytest.mark.parametrize(
    ("said", "label", "arguments"),
    [
        ("weather in Rome on Sunday", "get_weather", {"place": "Rome", "day": "Sunday"}),
        ("will it snow in Bergen", "get_weather", {"place": "Bergen"}),
        ("navigate to 21 Baker Street", "navigate", {"destination": "21 Baker Street"}),
        ("text Maria that the train is late", "send_message", {"recipient": "Maria", "message": "the train is late"}),
        ("remind me to water the ferns at 6pm", "set_reminder", {"about": "water the ferns", "time": "6pm"}),
        ("put bread on my list", "add_to_list", {"item": "bread"}),
        ("put milk and eggs on the grocery list", "add_to_list", {"item": "milk and eggs", "list": "grocery"}),
    ],
)
def test_required_slots_take_what_was_said(bare: Converter, said: str, label: str, arguments: dict[str, str]) -> None:
    (call,) = bare.convert(said).calls
    assert (call.name, dict(call.arguments)) == (label, arguments)


@pytest.mark.parametrize("said", ["I'm bored", "how do I boil an egg", "call the office"])
def test_what_no_function_does_is_not_understood(bare: Converter, said: str) -> None:
    assert bare.convert(said).calls[0].name == "do_not_understand"


def test_what_is_plain_is_not_read(bare: Converter) -> None:
    """The second look is for slots that are left open: a line that is plain costs nothing more."""
    plain, empty = bare.convert("weather in Rome on Sunday"), bare.convert("put bread on my list")
    assert plain.stats.tokens_evaluated < empty.stats.tokens_evaluated


def test_words_that_count_things_up_are_several_values_of_a_list(model_path: Path) -> None:
    herbs = {"type": "array", "items": {"type": "string"}, "description": "The herbs that go in."}
    needed = {"properties": {"herbs": herbs}, "required": ["herbs"]}
    soup = {"name": "cook_soup", "description": "Cook a soup with some herbs.", "parameters": needed}
    made = Converter(model_path).add_function_specs([soup, *SPECS]).finalize()
    assert made.convert("cook a soup with sage, thyme and wild garlic")[0].arguments == {"herbs": ["sage", "thyme", "wild garlic"]}
    assert made.convert("cook a soup with sage")[0].arguments == {"herbs": ["sage"]}
    soup["parameters"]["properties"]["herbs"]["uniqueItems"] = True  # type: ignore[index]
    once = Converter(model_path).add_function_specs([soup, *SPECS]).finalize()
    assert once.convert("cook a soup with sage, thyme and sage")[0].arguments == {"herbs": ["sage", "thyme"]}


def test_what_a_taught_model_hardly_takes_to_be_meant_is_doubted(model_path: Path) -> None:
    """One function alone is like every utterance about its things; the model that has read it says whether it is asked for."""
    height = {"type": "number", "description": "How high the tower is, in metres."}
    needed = {"properties": {"height": height, "city": {"type": "string", "description": "Where it stands."}}}
    tower = {"name": "cost_of_tower", "description": "Compute what it costs to build a tower.", "parameters": needed}
    tower["parameters"]["required"] = ["height", "city"]  # type: ignore[index]
    made = Converter(model_path).add_function_specs([tower]).finalize()
    doubted, plain = made.convert("why do towers lean?").explain(), made.convert("cost of a tower of 40 metres in Ghent").explain()
    assert doubted.grounds["meant"] < MEANT
    assert doubted.functions[0]["doubt"] == pytest.approx(DOUBT * (doubted.grounds["meant"] - MEANT))
    assert "doubt" not in plain.functions[0]
    shown = Converter(model_path).add_function_specs([tower]).add_exemplars({"cost_of_tower": ["price a tower in <city>"]})
    assert "doubt" not in shown.finalize().convert("why do towers lean?").explain().functions[0], "exemplars know better"
