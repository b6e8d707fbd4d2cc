"""Listed values by meaning, and how people name, count up and date things; own domain: a boatyard."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from constrained_du import Converter
from constrained_du.domain.domain import Domain
from constrained_du.recognizers.addresses import find_addresses
from constrained_du.recognizers.times import TimeKind, find_times
from constrained_du.slots.places import Place, place
from constrained_du.slots.senses import Meanings, embedded, free_units, has_senses, names_of, phrases, senses
from constrained_du.slots.slot_features import cuts_code, named
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import Function, read_specs
from constrained_du.specs.tenses import is_past
from constrained_du.text.opposites import in_english, sides
from constrained_du.text.synonyms import abbreviates, initials
from constrained_du.types import Span

NOW = datetime(2027, 5, 12, 9, 0)  # a Wednesday

YARD = [
    {"name": "order_work", "description": "Have something done to a boat.", "parameters": {"type": "object", "properties": {
        "job": {"type": "string", "enum": ["hull_cleaning", "engine_check", "sail_repair"]},
        "boat": {"type": "string", "description": "name of the boat"},
        "parts": {"type": "array", "items": {"type": "string"}, "description": "spare parts to bring along"},
        "day": {"type": "string", "format": "date", "description": "when"},
    }, "required": ["job"]}},
    {"name": "track_order", "description": "Where an order of spare parts is.", "parameters": {"type": "object", "properties": {
        "order_ref": {"type": "string", "description": "as on the slip", "examples": ["BY-2041"]},
        "pontoon": {"type": "string", "description": "where to bring it"},
    }, "required": ["order_ref"]}},
]  # fmt: skip
SHOWN = [
    {"funcId": "order_work", "exemplars": [
        {"type": "implies", "utterance": "please have < job > done on < boat >"},
        {"type": "implies", "utterance": "my boat < boat > needs some work"},
        {"type": "implies", "utterance": "bring < parts > when you come to work on her"},
        {"type": "implies", "utterance": "book work on < boat > for < day >"},
    ]},
    {"funcId": "track_order", "exemplars": [
        {"type": "implies", "utterance": "where is my order < order_ref >"},
        {"type": "implies", "utterance": "has < order_ref > been sent yet"},
        {"type": "implies", "utterance": "bring order < order_ref > to < pontoon >"},
    ]},
]  # fmt: skip


def function(**slots: dict[str, Any]) -> Function:
    return read_specs([{"label": "tend", "name": ["tend"], "parameters": {"properties": slots}}])[0]


def slot(name: str, description: str = "", **schema: Any) -> Place:
    return place(function(**{name: {"type": "string", "description": description, **schema}}).slot[name])


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Converter:
    converter = Converter("smollm2-135m-instruct")
    converter.add_function_specs(YARD)
    converter.add_exemplars(SHOWN)
    converter.finalize(tmp_path_factory.mktemp("yard") / "artifact")
    return Converter.load_from_disk(tmp_path_factory.getbasetemp() / "yard0" / "artifact")


@pytest.mark.parametrize(("utterance", "job"), [
    ("the motor of the Blue Heron makes odd noises, have it looked at", "engine_check"),
    ("somebody has to scrub the bottom of the Blue Heron", "hull_cleaning"),
    ("the sails of the Blue Heron have a hole", "sail_repair"),
])  # fmt: skip
def test_a_listed_value_is_found_by_what_other_words_mean(yard: Converter, utterance: str, job: str) -> None:
    [call] = yard.convert(utterance, functions=["order_work"], tool_choice="required")
    assert call.arguments["job"] == job and call.arguments["boat"] == "Blue Heron"


def test_nothing_is_found_where_nothing_means_a_value(yard: Converter) -> None:
    [call] = yard.convert("book work on the Blue Heron for Saturday", now=NOW)
    assert "job" not in call.arguments and call.missing == ("job",)


def test_what_is_counted_up_is_a_list_without_articles(yard: Converter) -> None:
    [call] = yard.convert("bring the winch handle, a fender and some rope when you come to work on her")
    assert call.arguments["parts"] == ["winch handle", "fender", "rope"]


def test_a_code_is_no_more_than_the_code(yard: Converter) -> None:
    [call] = yard.convert("has BY-7719 been sent out by now, I need it badly")
    assert call.arguments == {"order_ref": "BY-7719"}


class Scripted:
    """Words as axes: texts that share a word are alike."""

    size = 4
    _axes = ("engine", "motor", "sail", "hull")

    def embed(self, text: str) -> NDArray[np.float32]:
        vector = np.array([float(axis in text) for axis in self._axes], np.float32)
        vector[0] += 0.8 * vector[1]
        return vector / np.float32(max(1e-6, np.linalg.norm(vector)))


def test_the_likeliest_value_comes_with_the_phrase_that_means_it() -> None:
    job = slot("job", enum=["hull_cleaning", "engine_check"])
    view = View("my motor is loud")
    nothing = np.zeros(4, np.float32)
    meanings = Meanings(nothing, nothing[None], embedded([job], Scripted()))
    found = senses(Scripted(), view, [job], meanings, {"job": [False, True, False, True]})["job"]
    assert found.value == "engine_check" and found.span == Span(3, 8) and found.ahead > 0 and found.near > 0
    assert senses(Scripted(), view, [job], meanings, {}) == {}


def test_what_is_about_the_function_as_a_whole_means_no_value() -> None:
    job = slot("job", enum=["hull_cleaning", "engine_check"])
    nothing, engines = np.zeros(4, np.float32), Scripted().embed("motor engine")
    meanings = Meanings(engines, nothing[None], embedded([job], Scripted()))
    found = senses(Scripted(), View("my motor is loud"), [job], meanings, {"job": [False, True, False, True]})["job"]
    assert found.ahead == found.near == 0


def test_phrases_hold_nothing_that_is_explained() -> None:
    view = View("have the old motor and mast looked at")
    free = [word in ("old", "motor", "mast") for word in view.words]
    said = {view.text[span.start : span.end] for span in phrases(view, free)}
    assert said == {"old", "motor", "mast", "old motor", "motor and mast"}


@pytest.mark.parametrize(("schema", "has"), [
    ({"enum": ["gaff", "sloop"]}, True),
    ({"enum": ["kg", "lb"]}, False),
    ({"enum": ["1", "2"]}, False),
    ({"enum": ["ketch"]}, False),
    ({"enum": [f"berth {chr(97 + i)}{chr(97 + j)}" for i in range(9) for j in range(9)]}, False),
    ({}, False),
])  # fmt: skip
def test_which_slots_have_senses(schema: dict[str, Any], has: bool) -> None:
    assert has_senses(slot("rig", **schema)) is has


def test_a_gloss_is_a_name_of_a_value() -> None:
    rig = slot("rig", "gaff = old rig, sloop = usual rig", enum=["gaff", "sloop"])
    assert names_of(rig) == [["gaff", "old rig"], ["sloop", "usual rig"]]


@pytest.mark.parametrize(("short", "word", "does"), [
    ("morn", "morning", True), ("eve", "evening", True), ("eve", "every", False), ("go", "gooseneck", False), ("rope", "ropes", False),
])  # fmt: skip
def test_what_abbreviates_a_word(short: str, word: str, does: bool) -> None:
    assert abbreviates(short, word) is does


def test_initials() -> None:
    assert initials(("marine", "band", "radio")) == "mbr"


@pytest.mark.parametrize(("text", "address"), [
    ("bring it to 14 Harbour Lane please", "14 Harbour Lane"),
    ("we moved to 7b old quay road", "7b old quay road"),
    ("in 10 minutes on the road", None),
    ("3 boats at Mill Lane", None),
    ("take 5 from the close", None),
])  # fmt: skip
def test_a_house_number_belongs_to_its_street(text: str, address: str | None) -> None:
    assert [text[span.start : span.end] for span in find_addresses(text)] == ([address] if address else [])


def test_an_address_is_not_divided() -> None:
    view = View("bring it to 14 Harbour Lane")
    assert view.cuts_address(Span(15, 27)) and view.cuts_address(Span(12, 14)) and not view.cuts_address(Span(12, 27))


@pytest.mark.parametrize(("text", "kind", "said"), [
    ("from 3 May until 24 May", "date", [("3 May", "2028-05-03"), ("24 May", "2028-05-24")]),
    ("before 12 June", "date", [("12 June", "2027-06-12")]),
    ("an hour and twenty on the water", "duration", [("an hour and twenty", "PT1H20M")]),
    ("an hour and ten boats", "duration", [("an hour", "PT1H")]),
    ("it is 5 June now", "time", []),
    ("how far did we sail on Monday", "date", [("Monday", "2027-05-10")]),
    ("was she launched on the 3rd", "date", [("the 3rd", "2027-05-03")]),
    ("I was hoping for Monday", "date", [("Monday", "2027-05-17")]),
    ("did you say Monday", "date", [("Monday", "2027-05-17")]),
])  # fmt: skip
def test_times_as_they_are_said(text: str, kind: TimeKind, said: list[tuple[str, str]]) -> None:
    assert [(text[found.start : found.end], found.value) for found in find_times(text, kind, NOW)] == said


def test_ordinals_name_what_follows_them() -> None:
    view = View("second pontoon, fourth berth")
    pontoon, berth = slot("pontoon"), slot("berth")
    assert [named(view, own, 0, 0) for own in (pontoon, berth)] == [1.0, 0.0]
    assert [named(view, own, 3, 3) for own in (pontoon, berth)] == [0.0, 1.0]


def test_a_part_of_a_code_is_no_code() -> None:
    view = View("call 020 7946 0112")
    assert cuts_code(view, 2, 3) and not cuts_code(view, 1, 3)


def test_examples_of_a_schema_say_what_a_slot_holds() -> None:
    assert slot("slip", examples=["QV-1007"]).holds_code
    assert not slot("slip", examples=["the north one"]).holds_code
    assert ("mizzen", "mast") in slot("part", examples=["mizzen mast"]).examples


@pytest.mark.parametrize(("text", "meant"), [
    ("get rid of the old mooring", "delete"), ("call off the survey", "cancel"), ("forget the survey", "cancel"),
    ("kill the deck lights", "off"), ("no more notices", "stop"), ("switch the pump on for me", "on"),
])  # fmt: skip
def test_what_else_ends_something(text: str, meant: str) -> None:
    assert in_english(sides(meant)) <= in_english(sides(text))


def test_to_forget_to_do_something_ends_nothing() -> None:
    assert not sides("I forget to do it") & sides("cancel delete")


def test_an_artifact_keeps_the_vectors_of_values(tmp_path: Path) -> None:
    converter = Converter("smollm2-135m-instruct")
    converter.add_function_specs(YARD)
    converter.finalize(tmp_path / "artifact")
    again = Converter.load_from_disk(tmp_path / "artifact")
    text = "the motor is loud, have it looked at"
    first, second = (c.convert(text, tool_choice="order_work") for c in (converter, again))
    assert first.to_openai()["tool_calls"][0]["function"] == second.to_openai()["tool_calls"][0]["function"]
    assert first.calls[0].arguments["job"] == "engine_check"


def test_what_stands_in_quotes_is_counted_up_as_well(yard: Converter) -> None:
    [call] = yard.convert("bring ['winch', 'cleat', 'fender'] when you come to work on her", functions=["order_work"])
    assert call.arguments["parts"] == ["winch", "cleat", "fender"]


@pytest.mark.parametrize(("name", "description", "past"), [
    ("day", "the day it was launched", True), ("read_on", "", True), ("since", "", True), ("leaking_since", "", True),
    ("day", "the day it was booked for", False), ("day", "when to come", False), ("launched", "", False),
])  # fmt: skip
def test_which_slots_hold_what_has_passed(name: str, description: str, past: bool) -> None:
    assert is_past(function(**{name: {"type": "string", "format": "date", "description": description}}).slot[name]) is past


def test_days_of_the_past_are_the_last_ones() -> None:
    assert [found.value for found in find_times("on Monday", "date", NOW, past=True)] == ["2027-05-10"]
    assert [found.value for found in find_times("next Monday", "date", NOW, past=True)] == ["2027-05-17"]
    assert [found.value for found in find_times("tomorrow", "date", NOW, past=True)] == ["2027-05-13"]


def test_which_words_may_mean_a_value() -> None:
    view = View("I was needing the old pump for 2 boats")
    free = free_units(view, {"boat"}, [Span(18, 21)])
    assert [word for word, is_free in zip(view.words, free, strict=True) if is_free] == ["pump"]


def test_a_value_with_a_word_of_the_function_is_not_told_by_meaning() -> None:
    job = slot("job", enum=["hull_cleaning", "engine_check"])
    nothing = np.zeros(4, np.float32)
    meanings = Meanings(nothing, nothing[None], embedded([job], Scripted()))
    free = {"job": [False, True, False, True]}
    found = senses(Scripted(), View("my motor is loud"), [job], meanings, free, frozenset(("engine",)))["job"]
    assert found.ahead == found.near == 0


def test_what_several_exemplars_say_is_usual() -> None:
    functions = tuple(read_specs(YARD))
    texts = ("paint the boat", "paint my boat today", "have the deck oiled", "is the boat dry")
    exemplars = tuple(read_exemplars([{"funcId": "order_work", "exemplars": [{"type": "implies", "utterance": t} for t in texts]}], {
        f.label: frozenset(f.slot) for f in functions
    }))  # fmt: skip
    assert Domain(functions, exemplars).usual["order_work"] >= {"boat", "paint"}
    assert "deck" not in Domain(functions, exemplars).usual["order_work"]
