"""A workshop by voice, on the real model: what descriptions and exemplars say of slots, and what thanks and "all" mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from constrained_du import Converter

NAME = {"type": "string", "description": "The name given to the kiln."}
MACHINE = {"type": "machine", "description": "The machine meant, as it is called."}


def spec(label: str, description: str, **slots: Any) -> dict[str, Any]:
    return {
        "label": label, "name": [label.replace("_", " ")], "description": description,
        "parameters": {"type": "object", "properties": slots, "required": []},
    }  # fmt: skip


KIND = {"type": "string", "enum": ["saw", "drill", "latch"], "description": "The kind of machine meant when none is named."}
SPECS = [
    spec("switch_on", "Switch on a machine, or all machines of a kind.", name=MACHINE, kind=KIND),
    spec("set_speed", "Set the speed of a machine.", machine=MACHINE, percent={"type": "integer", "minimum": 0, "maximum": 100}),
    spec("tell_state", "Tell the state of latches and machines.", kind=KIND,
         state={"type": "string", "enum": ["latched", "unlatched", "running"], "description": "The state asked about."}),
    spec("cool_kiln", "Let one kiln cool down.", name=NAME),
    spec("cool_all_kilns", "Let every kiln cool down."),
]  # fmt: skip
EXEMPLARS = {
    "switch_on": ["switch the drills on", "start <name>", "switch on <name>"],
    "set_speed": ["set <machine> to 40 percent", "<machine> at 80 percent speed", "run <machine> at 20 percent"],
    "tell_state": ["is the <kind> running", "what is running right now"],
    "cool_kiln": ["cool the <name> kiln", "let the kiln cool"],
    "cool_all_kilns": ["cool all kilns"],
}


@pytest.fixture(scope="module")
def workshop(model_path: Path) -> Converter:
    converter = Converter(model_path).add_function_specs(SPECS).add_exemplars(EXEMPLARS)
    return converter.add_recognizers({"machine": {"instances": ["Big Bertha", "Old Tom"]}}).finalize()


@pytest.mark.parametrize(
    ("said", "label", "arguments"),
    [
        ("switch on Big Bertha", "switch_on", {"name": "Big Bertha"}),
        ("cool the raku kiln now please", "cool_kiln", {"name": "raku"}),
        ("please let the kiln cool now", "cool_kiln", {}),
        ("which hatches are unlatched", "tell_state", {"kind": "latch", "state": "unlatched"}),
    ],
)
def test_slots_take_what_their_descriptions_and_exemplars_say(
    workshop: Converter, said: str, label: str, arguments: dict[str, Any]
) -> None:
    (call,) = workshop.convert(said).calls
    assert (call.name, dict(call.arguments)) == (label, arguments)


def test_a_kind_is_not_said_beside_the_name_it_stands_in_for(workshop: Converter) -> None:
    found = workshop.convert("switch on Old Tom the drill", tool_choice={"type": "function", "function": {"name": "switch_on"}}, n_best=8)
    assert "kind" not in found[0].arguments and found[0].arguments["name"] == "Old Tom"
    assert workshop.accepts({"name": "switch_on", "arguments": {"name": "Old Tom", "kind": "drill"}}, "switch on Old Tom the drill")


def test_all_is_not_done_where_one_thing_was_said(workshop: Converter) -> None:
    assert workshop.convert("could you cool down the kiln").calls[0].name == "cool_kiln"
    assert workshop.convert("could you cool down every kiln").calls[0].name == "cool_all_kilns"


@pytest.mark.parametrize("said", ["thanks a lot!", "hello there", "ok great, thank you, bye"])
def test_who_only_thanks_or_greets_gets_nothing_done(workshop: Converter, said: str) -> None:
    assert not workshop.convert(said).understood


SALE = spec("sell_ware", "Sell a piece of ware.",
            ware_type={"type": "string", "description": "The kind of ware, such as bowl, mug or jar."},
            potter={"type": "string", "description": "The person who made it."},
            state={"type": "string", "description": "The state or province it goes to, in full or abbreviated."},
            country={"type": "string", "description": "The country it goes to."},
            day={"type": "string", "description": "When it is sold."})  # fmt: skip


@pytest.fixture(scope="module")
def shop(model_path: Path) -> Converter:
    made = Converter(model_path).add_function_specs([SALE, spec("close_shop", "Close the shop for the day.")])
    return made.add_exemplars({"sell_ware": ["sell a <ware_type> to <country>", "on <day> sell the <ware_type>"]}).finalize()


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("sell a jar to Norway", {"ware_type": "jar", "country": "Norway"}),
        ("sell the mug in Ohio", {"ware_type": "mug", "state": "Ohio"}),
        ("sell a bowl to somebody in SC", {"ware_type": "bowl", "state": "SC"}),
    ],
)
def test_examples_of_a_description_and_names_of_places_find_their_slots(
    shop: Converter, said: str, arguments: dict[str, Any]
) -> None:
    call = shop.convert(said)[0]
    assert (call.name, call.arguments) == ("sell_ware", arguments)


def test_an_exemplar_with_a_time_settles_nothing_that_holds_none(shop: Converter) -> None:
    assert shop.convert("on Friday sell the jar").explain().decided_by == "exemplar"
    assert shop.convert("on principle sell the jar").explain().decided_by == "evidence"


@pytest.mark.parametrize("said", ["on the 3rd of May", "next Friday please", "on 11th March"])
def test_a_moment_alone_answers_what_was_asked(shop: Converter, said: str) -> None:
    call = shop.convert(said, expectations=[("day", "sell_ware")])[0]
    assert call.name == "sell_ware" and list(call.arguments) == ["day"]
