"""Conversation functions: built-in ones, picks, and functions that name other functions' slots."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from constrained_du import Converter, InputError, SpecError
from constrained_du.domain.conversation import DEFAULT, LANGUAGES, ON_REQUEST, conversation_exemplars, conversation_specs
from constrained_du.domain.domain import Domain
from constrained_du.domain.sayable import is_sayable
from constrained_du.grammar.candidates import read_entities
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf, to_lark, to_regex
from constrained_du.grammar.grammar import Choice, Grammar
from constrained_du.grammar.surface import parse
from constrained_du.slots.picks import is_bare_number, is_list, ordinal, picked
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.instances import surfaces
from constrained_du.specs.spec import read_specs
from constrained_du.text.polarity import is_yes_or_no, polarity
from constrained_du.types import Span, compact_json

ALL = (*DEFAULT, *ON_REQUEST)


# ---- the texts ---------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_function_with_ten_to_twenty_exemplars_of_its_own(language: str) -> None:
    functions = read_specs(conversation_specs(language, ALL))
    assert [function.label for function in functions] == list(ALL)
    slots = {function.label: frozenset(function.slot) for function in functions}
    exemplars = read_exemplars(conversation_exemplars(language, ALL), slots)
    texts = [exemplar.text for exemplar in exemplars]
    assert len(set(texts)) == len(texts)
    for function in functions:
        assert function.description and function.extras == {"x-conversation": function.label}
        assert 10 <= sum(exemplar.function == function.label for exemplar in exemplars) <= 20


@pytest.mark.parametrize(
    ("language", "only", "said"),
    [("fr", None, "'fr'"), ("en", ["sing"], "'sing'"), ("en", "help", "list of names"), ("en", 3, "list of names")],
)
def test_a_language_or_name_that_is_not_there_is_refused(language: str, only: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        conversation_specs(language, only)


# ---- picks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("the second one", 2, "second"),
        ("The Third, please", 3, "Third"),
        ("the last one", -1, "last"),
        ("the second to last", -2, "second to last"),
        ("the latter", -1, "latter"),
        ("option two", 2, "two"),
        ("number 3 please", 3, "3"),
        ("#4", 4, "4"),
        ("2", 2, "2"),
        ("the 5th", 5, "5th"),
        ("the top one", 1, "top"),
        ("第二个", 2, "第二"),
        ("我要第三家", 3, "第三"),
        ("最后一个", -1, "最后"),
        ("倒数第二个", -2, "倒数第二"),
        ("头一个", 1, "头一"),
        ("二番目の", 2, "二番目"),
        ("三つ目をお願いします", 3, "三つ目"),
        ("最後のやつ", -1, "最後"),
        ("一番上の", 1, "一番上"),
        ("後ろから二番目", -2, "後ろから二番目"),
    ],
)
def test_an_ordinal_names_a_place_in_a_list(text: str, place: int, said: str) -> None:
    found = ordinal(text)
    assert found is not None and (found[0], text[found[1].start : found[1].end]) == (place, said)


@pytest.mark.parametrize("text", ["", "two people", "in Boston", "一共两个人", "三人です", "one moment please"])
def test_an_amount_is_no_place_in_a_list(text: str) -> None:
    assert ordinal(text) is None


@pytest.mark.parametrize(("text", "bare"), [("five", True), ("5", True), ("五", True), ("the fifth", False), ("5 pm", False)])
def test_a_bare_number_is_an_amount_sooner_than_a_pick(text: str, bare: bool) -> None:
    assert is_bare_number(text) is bare


def _list(text: str, *values: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, Span(0, len(text)), "entity") for value in values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the second one", "Bravo Inn"),
        ("the last", "Coast Lodge"),
        ("bravo please", "Bravo Inn"),
        ("最后一个", "Coast Lodge"),
        ("the fourth one", None),
        ("what?", None),
    ],
)
def test_one_of_a_list_is_picked_by_its_place_or_name(text: str, value: str | None) -> None:
    choices = _list(text, "Alpha Hotel", "Bravo Inn", "Coast Lodge")
    chosen = picked(choices, text)
    assert is_list(choices, text) and (chosen and chosen.value) == value


@pytest.mark.parametrize(
    ("choices", "listed"),
    [
        ((Choice("Paris", Span(3, 8), "entity"), Choice("Rome", Span(12, 16), "entity")), False),
        ((Choice("to Paris or Rome", Span(0, 16), "entity"),), False),
        ((Choice("Paris", Span(0, 16), "recognizer"),), False),
        ((), False),
        ((Choice("only one", Span(0, 16), "entity"),), True),
    ],
)
def test_a_list_stands_for_the_whole_utterance(choices: tuple[Choice, ...], listed: bool) -> None:
    assert is_list(choices, "to Paris or Rome") is listed


@pytest.mark.parametrize(
    ("text", "leaning"),
    [
        ("yes", 1), ("Yep!", 1), ("yeah, sounds good", 1), ("no problem", 1), ("ok", 1),
        ("no", -1), ("nope", -1), ("not really", -1), ("don’t", -1), ("no, that's wrong", -1),
        ("是的", 1), ("没错", 1), ("好的", 1), ("没问题", 1), ("不是", -1), ("不要", -1), ("不对", -1),
        ("はい", 1), ("はい、お願いします", 1), ("うん", 1), ("いいえ", -1), ("いや、違います", -1), ("だめです", -1),
        ("Boston", 0), ("明天", 0), ("京都", 0), ("", 0),
    ],
)  # fmt: skip
def test_a_text_says_yes_or_no_in_each_language(text: str, leaning: int) -> None:
    assert polarity(text).leaning == leaning
    assert is_yes_or_no(text) is (leaning != 0)


# ---- functions that name slots -------------------------------------------------------------


def _function(label: str, required: list[str] | None = None, **slots: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": slots, "required": required or []}
    return {"name": label, "description": label, "parameters": parameters}


TABLE = _function(
    "book_table",
    restaurant={"type": "string", "description": "the restaurant"},
    party_size={"type": "integer", "minimum": 1, "maximum": 20, "description": "the number of guests"},
    time={"type": "string", "format": "time"},
    area={"enum": ["inside", "terrace"]},
    city={"type": "city"},
    notes={"type": "array", "items": {"enum": ["vegan", "child seat"]}},
)
TREE: dict[str, Any] = {
    "name": "plant",
    "parameters": {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"left": {"$ref": "#/$defs/node"}}}},
    },
}


def _change(value: Mapping[str, Any], old: str = "old_value", new: str = "new_value") -> dict[str, Any]:
    return _function("change_slot_value", ["slot"], slot={"type": "slot_label"}, **{old: value, new: value})


def _domain(*specs: dict[str, Any]) -> Domain:
    return Domain(tuple(read_specs(list(specs))))


def _accepts(domain: Domain, arguments: Mapping[str, Any], text: str, entities: Any = None) -> bool:
    candidates = read_entities(entities, text, domain.entity_keys)
    call = {"name": "change_slot_value", "arguments": dict(arguments)}
    return is_sayable(call, domain, Binder(text, candidates, domain.ontology))


SPELLINGS = {
    "slot_value": _change({"type": "slot_value"}),
    "plain text": _change({"type": "string"}),
    "no type": _change({}),
    "OpenCUI's names": _change({"type": "string"}, "oldValue", "newValue"),
}
SAID = "change the party size from 4 to 5 at 7pm on the terrace"
FITTING = [
    ({}, True),
    ({"slot": "party_size"}, True),
    ({"slot": "party_size", "new": 5}, True),
    ({"slot": "party_size", "old": 4, "new": 5}, True),
    ({"new": 5}, True),
    ({"slot": "time", "new": "19:00"}, True),
    ({"slot": "area", "new": "terrace"}, True),
    ({"slot": "area", "old": "inside", "new": "terrace"}, True),
    ({"slot": "restaurant", "new": "the terrace"}, True),
    ({"slot": "notes", "new": ["vegan"]}, True),
    ({"slot": "party_size", "new": "5"}, False),
    ({"slot": "party_size", "new": 6}, False),
    ({"slot": "party_size", "old": 5, "new": 5}, False),
    ({"slot": "party_size", "new": "19:00"}, False),
    ({"slot": "time", "new": 5}, False),
    ({"slot": "area", "new": "the terrace"}, False),
    ({"slot": "restaurant", "new": 5}, False),
    ({"slot": "city", "new": "terrace"}, False),
    ({"slot": "slot", "new": 5}, False),
    ({"slot": "old_value"}, False),
    ({"slot": "no_such"}, False),
    ({"old": 4, "new": "19:00"}, False),
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("arguments", "fits"), FITTING, ids=lambda value: compact_json(value))
def test_a_value_is_of_the_kind_of_the_slot_that_is_named(spelling: str, arguments: dict[str, Any], fits: bool) -> None:
    change = SPELLINGS[spelling]
    slot, old, new = change["parameters"]["properties"]
    named = {{"slot": slot, "old": old, "new": new}[key]: value for key, value in arguments.items()}
    assert _accepts(_domain(TABLE, change), named, SAID) is fits


@pytest.mark.parametrize(
    ("entities", "arguments", "fits"),
    [
        ({"city": [(8, 12)]}, {"slot": "city", "new_value": "Lyon"}, True),
        ({"city": [(8, 12, "FR-LYO")]}, {"slot": "city", "new_value": "FR-LYO"}, True),
        ({"city": [(8, 12, "FR-LYO")]}, {"slot": "city", "new_value": "Lyon"}, False),
        ({"book_table.restaurant": []}, {"slot": "restaurant", "new_value": "Lyon"}, False),
        ({"new_value": [(8, 12)]}, {"slot": "city", "new_value": "Lyon"}, True),
        ({"new_value": [(8, 12)]}, {"slot": "restaurant", "new_value": "change"}, False),
        ({"change_slot_value.new_value": []}, {"slot": "restaurant", "new_value": "Lyon"}, False),
        ({"new_value": [(8, 12)]}, {"slot": "party_size", "new_value": "Lyon"}, False),
        ({"slot": [(0, 6, "city")]}, {"slot": "city"}, True),
        ({"slot": [(0, 6, "city")]}, {"slot": "time"}, False),
    ],
)
def test_entities_restrict_the_value_of_the_named_slot(entities: Any, arguments: dict[str, Any], fits: bool) -> None:
    domain = _domain(TABLE, _change({"type": "slot_value"}))
    assert _accepts(domain, arguments, "city to Lyon", entities) is fits


def test_the_notations_and_the_parser_say_the_same_as_the_verdict() -> None:
    domain = _domain(TABLE, _change({"type": "slot_value"}))
    grammar = Grammar((Binder(SAID, ontology=domain.ontology).bind(domain.functions[1]),))
    regex = re.compile(to_regex(grammar))
    for arguments, _ in FITTING:
        named = {{"slot": "slot", "old": "old_value", "new": "new_value"}[k]: v for k, v in arguments.items()}
        text = compact_json({"name": "change_slot_value", "arguments": named})
        legal = grammar.admits("change_slot_value", named)
        assert (regex.fullmatch(text) is not None, parse(text, grammar) is not None) == (legal, legal), text
    assert to_gbnf(grammar) and to_lark(grammar)


def test_labels_are_those_of_other_functions_that_name_no_slots_themselves() -> None:
    clear = _function("clear_slot", slot={"type": "slot_label"})
    domain = _domain(TABLE, _change({"type": "slot_value"}), clear, *conversation_specs("en", ["pick"]))
    assert domain.ontology.slot_labels == ("restaurant", "party_size", "time", "area", "city", "notes")


def test_a_recursive_slot_can_be_named_but_not_given_a_value() -> None:
    domain = _domain(TREE, _change({"type": "slot_value"}))
    assert _accepts(domain, {"slot": "tree"}, "change the tree")
    assert not _accepts(domain, {"slot": "tree", "new_value": {}}, "change the tree")


def test_a_label_that_two_functions_have_takes_the_values_of_both() -> None:
    other = _function("alarm", time={"type": "integer"})
    domain = _domain(TABLE, other, _change({"type": "slot_value"}))
    said = [{"slot": "time", "new_value": value} for value in ("19:00", 5, "5")]
    assert [_accepts(domain, arguments, SAID) for arguments in said] == [True, True, False]


def test_a_text_named_value_beside_no_label_is_a_text() -> None:
    domain = _domain(TABLE, _function("change_slot_value", new_value={"type": "string"}))
    assert _accepts(domain, {"new_value": "5"}, SAID) and not _accepts(domain, {"new_value": 5}, SAID)


def test_slots_are_called_by_their_titles_and_the_heads_of_their_descriptions() -> None:
    described = {
        "a": "the number of guests", "b": "the city to stay in", "c": "要查天气的城市", "d": "来店する人数", "e": "",
    }  # fmt: skip
    spec = _function("f", **{name: {"type": "string", "description": text} for name, text in described.items()})
    found = surfaces(_domain(spec).ontology.slots)
    assert found == {"a": ("number", "guests"), "b": ("city",), "c": ("城市",), "d": ("人数",), "e": ()}


# ---- with a model --------------------------------------------------------------------------

@pytest.mark.model
def test_a_label_of_ones_own_and_a_conversation_function_refuse_each_other(model_path: Path) -> None:
    own, mine = _function("pick", word={"enum": ["a", "b"]}), Converter(model_path, embedder=None)
    mine.add_function_specs([own])
    with pytest.raises(SpecError, match="'pick'"):
        mine.add_conversation_functions()
    assert mine.labels == ("pick",)
    mine.add_conversation_functions(only=["help", "repeat"])
    assert mine.labels == ("pick", "repeat", "help")
    theirs = Converter(model_path, embedder=None).add_conversation_functions()
    with pytest.raises(SpecError, match="'pick'"):
        theirs.add_function_specs([own])
    assert theirs.labels == DEFAULT


@pytest.mark.model
def test_a_second_language_adds_exemplars_only_and_the_same_one_nothing(model_path: Path) -> None:
    converter = Converter(model_path, embedder=None).add_conversation_functions("en")
    count = len(converter.domain.exemplars)
    assert len(converter.add_conversation_functions("en").domain.exemplars) == count
    assert len(converter.add_conversation_functions("zh").domain.exemplars) > count
    assert converter.labels == DEFAULT


HELD_OUT = [
    ("nah drop it, I don't need it anymore", "abort_intent"),
    ("could I please speak with a real agent", "hand_off"),
    ("thanks a lot, goodbye!", "close_session"),
    ("can you say it again?", "repeat"),
    ("how am I supposed to use this?", "help"),
    ("yes that is right", "affirm"),
    ("no that is wrong", "deny"),
    ("I really don't mind", "dont_care"),
    ("Never mind.", "abort_intent"),
]


@pytest.mark.model
@pytest.mark.parametrize(("utterance", "label"), HELD_OUT)
def test_what_is_said_about_the_conversation_is_understood(talking: Converter, utterance: str, label: str) -> None:
    (call,) = talking.convert(utterance)
    assert (call.name, call.arguments) == (label, {})


@pytest.mark.model
@pytest.mark.parametrize(
    ("utterance", "items", "arguments"),
    [
        ("the second one", ["Alpha", "Bravo", "Coast"], {"item": "Bravo"}),
        ("I'd take the last one", ["Alpha", "Bravo", "Coast"], {"item": "Coast"}),
        ("the third one please", None, {"index": 3}),
        ("the last one", None, {"index": -1}),
    ],
)
def test_a_pick_gives_what_stands_at_that_place(
    talking: Converter, utterance: str, items: list[str] | None, arguments: dict[str, Any]
) -> None:
    entities = None if items is None else {"pick.item": [(0, len(utterance), item) for item in items]}
    (call,) = talking.convert(utterance, entities=entities)
    assert (call.name, call.arguments) == ("pick", arguments)
    assert talking.accepts({"name": call.name, "arguments": call.arguments}, utterance, entities)


@pytest.mark.model
@pytest.mark.parametrize(
    ("utterance", "expected", "call"),
    [
        ("yes", ("ok", "confirm"), ("confirm", {"ok": True})),
        ("nope", ("ok", "confirm"), ("confirm", {"ok": False})),
        ("the second one", ("class", "buy_ticket"), ("buy_ticket", {"class": "second"})),
        ("no, from Zwolle", ("origin", "plan_trip"), ("plan_trip", {"origin": "Zwolle"})),
    ],
)
def test_an_answer_to_what_was_asked_is_no_remark_about_the_conversation(
    talking: Converter, utterance: str, expected: tuple[str, str], call: tuple[str, dict[str, Any]]
) -> None:
    (found,) = talking.convert(utterance, expectations=[expected])
    assert (found.name, dict(found.arguments)) == call


@pytest.mark.model
@pytest.mark.parametrize(
    ("utterance", "arguments"),
    [
        ("change the destination to Gouda", {"slot": "destination", "new_value": "Gouda"}),
        ("change the origin from Breda to Gouda", {"slot": "origin", "old_value": "Breda", "new_value": "Gouda"}),
        ("can we change the destination?", {"slot": "destination"}),
    ],
)
def test_a_change_names_the_slot_and_its_values(talking: Converter, utterance: str, arguments: dict[str, Any]) -> None:
    result = talking.convert(utterance)
    assert (result[0].name, dict(result[0].arguments)) == ("change_slot_value", arguments)
    for alternative in talking.convert(utterance, n_best=12, functions=["change_slot_value"]).alternatives:
        call = {"name": alternative.calls[0].name, "arguments": alternative.calls[0].arguments}
        assert talking.accepts(call, utterance), json.dumps(call)
