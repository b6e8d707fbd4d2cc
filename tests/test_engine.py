"""Laws of answering that hold for any model, shown on a scripted one."""

from __future__ import annotations

import json
from math import exp, isclose
from typing import Any

import numpy as np
import pytest
from scripted import END, RESERVED, Script, ScriptedBackend, indifferent

from constrained_du.answers.engine import Engine
from constrained_du.decoding.generation import Generator
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import read_request
from constrained_du.domain.sayable import is_sayable
from constrained_du.functions import scoring
from constrained_du.functions.preparing import prepare
from constrained_du.functions.scoring import FunctionScorer
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import Grammar
from constrained_du.loading import Settings
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.types import DO_NOT_UNDERSTAND, Result

LETTER = {
    "name": "choose",
    "description": "Choose a letter",
    "parameters": {"type": "object", "properties": {"letter": {"enum": ["a", "b", "c"]}}},
}
ROOM = {
    "name": "heat",
    "description": "Heat a room to a temperature",
    "parameters": {
        "type": "object",
        "properties": {
            "room": {"type": "room"},
            "degrees": {"type": "integer", "minimum": 5, "maximum": 30},
            "note": {"type": "string"},
        },
        "required": ["room"],
    },
}
STOP = {"name": "stop", "description": "Stop everything"}
RING = {
    "name": "travel",
    "description": "Travel by train",
    "parameters": {
        "type": "object",
        "properties": {"origin": {"type": "town"}, "destination": {"type": "town"}},
        "required": ["origin", "destination"],
    },
}


def engine(specs: list[Any], script: Script = indifferent, exemplars: Any = None, **settings: Any) -> Engine:
    functions = tuple(read_specs(specs, strings_free=settings.get("strings") == "free"))
    domain = Domain(functions)
    if exemplars:
        domain = Domain(functions, tuple(read_exemplars(exemplars, domain.slots_of)))
    backend = ScriptedBackend(script)
    prepared = prepare(domain, backend, None)
    return Engine(domain, backend, None, prepared, Settings("scripted", **settings), Generator(backend))


def ask(made: Engine, utterance: str, **arguments: Any) -> Result:
    return made.answer(read_request(made.domain, utterance, **arguments))


def calls(result: Result) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, dict(call.arguments)) for call in result]


def test_the_probabilities_of_all_legal_answers_add_up_to_one() -> None:
    result = ask(engine([LETTER]), "choose b", n_best=50)
    answers = [(a.calls[0].name, json.dumps(dict(a.calls[0].arguments))) for a in result.alternatives]
    assert len(answers) == len(set(answers)) == 5  # the fallback, no letter, and three letters
    assert isclose(sum(exp(a.score) for a in result.alternatives), 1.0, rel_tol=1e-9)
    assert 0 < sum(a.confidence for a in result.alternatives) <= 1 + 1e-9


def test_alternatives_come_best_first_and_the_first_is_the_answer() -> None:
    result = ask(engine([LETTER, STOP]), "choose the letter c", n_best=8)
    scores = [a.score for a in result.alternatives]
    assert scores == sorted(scores, reverse=True)
    assert result.calls == result.alternatives[0].calls
    assert calls(result) == [("choose", {"letter": "c"})]


def test_n_best_gives_no_more_answers_than_are_legal() -> None:
    assert len(ask(engine([STOP]), "stop", n_best=9).alternatives) == 2


ENTITY_ROWS = [
    ("a candidate is the only value", {"room": [(5, 12)]}, {"room": "kitchen"}),
    ("its canonical value is the argument", {"room": [(5, 12, "r-7")]}, {"room": "r-7"}),
    ("an empty list leaves the slot out", {"room": []}, {}),
    ("candidates may be given for the slot", {"heat.room": [(5, 12)]}, {"room": "kitchen"}),
]


@pytest.mark.parametrize(("entities", "room"), [row[1:] for row in ENTITY_ROWS], ids=[row[0] for row in ENTITY_ROWS])
def test_entities_decide_what_a_slot_may_hold(entities: dict[str, Any], room: dict[str, Any]) -> None:
    result = ask(engine([ROOM]), "heat kitchen to 21", entities=entities, tool_choice="heat")
    said = {slot: value for slot, value in result[0].arguments.items() if slot == "room"}
    assert said == room
    assert result[0].missing == (() if room else ("room",))
    assert (result[0].clarification is None) == bool(room)


def test_a_span_fills_one_slot_only() -> None:
    result = ask(engine([RING]), "to York", entities={"town": [(3, 7)]}, tool_choice="travel", n_best=40)
    for alternative in result.alternatives:
        assert len(alternative.calls[0].arguments) <= 1


def test_two_candidates_of_one_type_go_to_two_slots() -> None:
    spans = {"town": [(5, 9), (13, 18)]}
    result = ask(engine([RING]), "from York to Leeds", entities=spans, tool_choice="travel")
    assert calls(result) == [("travel", {"origin": "York", "destination": "Leeds"})]


def test_every_answer_is_sayable_and_has_the_spans_of_its_values() -> None:
    made = engine([ROOM, LETTER])
    text = "heat the big hall to 19 and say hello"
    request = read_request(made.domain, text, n_best=60)
    for alternative in made.answer(request).alternatives:
        call = alternative.calls[0]
        binder = Binder(text, request.candidates, made.domain.ontology)
        assert is_sayable({"name": call.name, "arguments": dict(call.arguments)}, made.domain, binder), call
        for slot, span in call.spans.items():
            if isinstance(call.arguments[slot], str):
                assert text[span.start : span.end] == call.arguments[slot]


EXEMPLARS = {"heat": [{"template": "make the <room> cosy"}], "stop": [{"template": "that will do"}]}
EXEMPLAR_ROWS = [
    ("word for word", "that will do", None, ("stop", {})),
    ("case, spacing and final punctuation aside", "  That WILL  do!! ", None, ("stop", {})),
    ("with a candidate in its slot", "make the den cosy", {"room": [(9, 12)]}, ("heat", {"room": "den"})),
    ("with a canonical value", "Make the den cosy.", {"room": [(9, 12, "d1")]}, ("heat", {"room": "d1"})),
]


def contrary(text: bytes) -> dict[int, float]:
    """A model that finds the names of the wrong functions likeliest everywhere."""
    return {byte: 9.0 for byte in b"choseltr"}


@pytest.mark.parametrize(
    ("utterance", "entities", "call"), [row[1:] for row in EXEMPLAR_ROWS], ids=[row[0] for row in EXEMPLAR_ROWS]
)
def test_an_exemplar_decides_whatever_the_model_thinks(utterance: str, entities: Any, call: Any) -> None:
    made = engine([LETTER, ROOM, STOP], contrary, EXEMPLARS)
    result = ask(made, utterance, entities=entities)
    assert calls(result) == [call]
    assert result.stats.tokens_evaluated == 0
    assert result.explain().decided_by == "exemplar"
    assert result.confidence > 0.99


def test_an_exemplar_that_decides_costs_no_look_at_other_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    made, looked = engine([LETTER, ROOM, STOP], contrary, EXEMPLARS), []
    monkeypatch.setattr(SlotEvidence, "score", lambda self, place, choice: looked.append(choice) or 0.0)
    assert calls(ask(made, "make the den cosy", entities={"room": [(9, 12)]})) == [("heat", {"room": "den"})]
    assert not looked
    assert len(ask(made, "make the den cosy", entities={"room": [(9, 12)]}, n_best=3).alternatives) == 3
    assert looked


def test_a_negative_exemplar_forbids_its_function() -> None:
    made = engine([STOP, LETTER], indifferent, {"stop": [{"template": "stop it", "owner_mode": "negative"}]})
    result = ask(made, "stop it", n_best=9)
    assert all(alternative.calls[0].name != "stop" for alternative in result.alternatives)


BLANKS = ["", "   ", "\n\t", "\u200b\ufeff", "\u3000"]


@pytest.mark.parametrize("utterance", BLANKS)
def test_a_blank_utterance_is_not_understood_and_costs_nothing(utterance: str) -> None:
    result = ask(engine([STOP]), utterance)
    assert calls(result) == [(DO_NOT_UNDERSTAND, {})] and not result.understood
    assert result.stats.tokens_evaluated == 0


CHOICES = [("required", False), ("heat", False), ("none", True)]


@pytest.mark.parametrize(("choice", "refused"), CHOICES)
def test_tool_choice_means_what_it_means_for_openai(choice: str, refused: bool) -> None:
    result = ask(engine([ROOM, STOP]), "xyzzy", tool_choice=choice, n_best=9)
    names = {alternative.calls[0].name for alternative in result.alternatives}
    assert (names == {DO_NOT_UNDERSTAND}) == refused
    assert DO_NOT_UNDERSTAND in names or not refused
    if choice == "heat":
        assert names == {"heat"}


def prefers_blanks(text: bytes) -> dict[int, float]:
    return {32: 20.0, 10: 19.0, 9: 18.0, END: -20.0}


def prefers_reserved(text: bytes) -> dict[int, float]:
    return {RESERVED: 50.0, END: 40.0, 0: 30.0}


def never_ends(text: bytes) -> dict[int, float]:
    return {ord("x"): 10.0, ord('"'): -30.0, ord("}"): -30.0, END: -30.0}


@pytest.mark.parametrize("script", [prefers_blanks, prefers_reserved, never_ends, indifferent])
def test_greedy_decoding_ends_with_a_valid_call_under_any_model(script: Script) -> None:
    made = engine([ROOM, STOP], script, decoder="greedy", strings="free")
    result = ask(made, "heat the attic")
    text = json.dumps({"name": result[0].name, "arguments": dict(result[0].arguments)}, separators=(",", ":"))
    grammar = Grammar(tuple(Binder("heat the attic").bind(f) for f in made.domain.functions))
    assert grammar.admits(result[0].name, dict(result[0].arguments)), text
    assert len(str(result[0].arguments.get("note", ""))) <= 256


def test_free_text_stays_within_its_bound_and_its_pattern() -> None:
    spec = {
        "name": "tag",
        "description": "Tag a photo",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "x-value": "free", "pattern": "^[a-z]+$", "maxLength": 12}},
            "required": ["word"],
        },
    }
    result = ask(engine([spec], never_ends), "tag this photo", tool_choice="tag")
    assert result[0].arguments["word"] == "x" * 12


def test_several_calls_come_in_the_order_of_their_clauses() -> None:
    result = ask(engine([LETTER, STOP]), "choose a letter b and stop everything", max_calls=2)
    assert len(result) <= 2
    assert all(call.name in ("choose", "stop", DO_NOT_UNDERSTAND) for call in result)


OPERATOR_ROWS = [
    ("heat any room but the den", [(22, 25)], "!="),
    ("heat the den or the attic", [(9, 12), (20, 25)], "or"),
]


@pytest.mark.parametrize(("utterance", "spans", "operator"), OPERATOR_ROWS)
def test_operators_stay_out_of_the_arguments(utterance: str, spans: Any, operator: str) -> None:
    entities = {"room": spans}
    with_operators = ask(engine([ROOM], operators=True), utterance, entities=entities, tool_choice="heat")
    assert [name for name, _ in with_operators[0].operators["room"]] == [operator]
    assert "room" not in with_operators[0].arguments and "room" not in with_operators[0].missing


def test_the_same_request_gives_the_same_bytes() -> None:
    made = engine([LETTER, ROOM, STOP])
    first, second = (ask(made, "heat the hall to 20", n_best=20) for _ in range(2))
    assert first.alternatives == second.alternatives
    assert first.to_openai() == second.to_openai()


def test_scores_that_are_not_numbers_are_an_error_not_an_answer() -> None:
    def broken(text: bytes) -> dict[int, float]:
        return {65: float("nan")}

    from constrained_du.errors import DecodeError

    made = engine([LETTER, STOP])
    made.backend.script = broken  # type: ignore[attr-defined]
    with pytest.raises(DecodeError, match="not numbers"):
        ask(made, "zqxjkv")


def test_the_model_is_not_asked_where_the_words_leave_one_function() -> None:
    made = engine([LETTER, STOP])
    clear, unclear = ask(made, "choose the letter b"), ask(made, "zqxjkv b")
    assert calls(clear) == [("choose", {"letter": "b"})]
    assert clear.stats.tokens_evaluated == 0 < unclear.stats.tokens_evaluated


def test_one_call_of_two_requests_is_one_of_them_and_a_clause_may_go_on_with_the_same_call() -> None:
    two = ask(engine([LETTER, STOP]), "choose the letter b and stop everything")
    assert calls(two)[0] in [("choose", {"letter": "b"}), ("stop", {})]
    on = ask(engine([ROOM]), "heat the kitchen, room to 21", entities={"room": [(9, 16)]})
    assert len(calls(on)) == 1


def test_a_long_utterance_is_refused_before_anything_is_evaluated() -> None:
    from constrained_du.errors import ContextOverflowError

    made = engine([STOP])
    with pytest.raises(ContextOverflowError, match="token"):
        ask(made, "word " * 2000)
    assert made.backend.count.tokens == 0  # type: ignore[attr-defined]


def test_unlikely_words_cost_no_more_than_likely_ones() -> None:
    made = engine([LETTER, STOP])
    costs = {ask(made, text).stats.tokens_evaluated for text in ("perhap a", "zqxjkv a")}
    assert len(costs) == 1 and np.isfinite(list(costs)).all()


NAMES = [
    ("in any case and with a full stop", "Stop.", "stop", "exemplar"),
    ("of a function whose slots may be left out", "choose", "choose", "exemplar"),
    ("not of one that lacks a value it needs", "heat", "heat", "evidence"),
    ("not within other words", "stop heating", "stop", "evidence"),
]


@pytest.mark.parametrize(("said", "name", "because"), [row[1:] for row in NAMES], ids=[row[0] for row in NAMES])
def test_a_functions_own_name_matches_like_an_exemplar(said: str, name: str, because: str) -> None:
    result = ask(engine([LETTER, ROOM, STOP]), said, tool_choice="auto" if because == "exemplar" else name)
    assert result[0].name == name
    assert (result.explain().decided_by == "exemplar") == (because == "exemplar")
    assert because != "exemplar" or result.stats.tokens_evaluated == 0


def test_a_label_that_is_one_word_is_a_name_too() -> None:
    spec = {"label": "lookaway", "name": ["look away"], "description": "Turn the head"}
    exemplars = {"stop": [{"template": "<what> please"}]}
    stop = {"name": "stop", "parameters": {"properties": {"what": {"type": "string"}}}}
    result = ask(engine([stop, spec], contrary, exemplars), "Lookaway!")
    assert (calls(result), result.explain().decided_by) == ([("lookaway", {})], "exemplar")


TICKET = {
    "name": "post",
    "description": "Post a parcel",
    "parameters": {"properties": {"to": {"type": "string"}, "town": {"type": "town"}, "size": {"enum": ["small", "large"]}}},
}


@pytest.mark.parametrize(
    ("said", "entities", "decided"),
    [
        ("post it to Ann", None, "exemplar"),
        ("post it to Ann in Ghent", {"town": [(15, 20)]}, "evidence"),
        ("post it to Ghent", {"town": [(11, 16)]}, "evidence"),
        ("post it to Ann as small", None, "evidence"),
        ("post it to smaller Ann", None, "exemplar"),
    ],
)
def test_any_words_do_not_decide_where_they_hold_another_slots_value(said: str, entities: Any, decided: str) -> None:
    exemplars = {"post": [{"template": "post it to <to>"}]}
    result = ask(engine([TICKET, STOP], contrary, exemplars), said, entities=entities)
    assert result.explain().decided_by == decided


def test_where_something_was_asked_a_name_is_no_exemplar() -> None:
    asked = ask(engine([LETTER, ROOM, STOP]), "stop", expectations=[("note", "heat")])
    assert asked.explain().decided_by != "exemplar"


class Holds:
    """Slots that hold a value, or none."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def holds_value(self, index: int) -> bool:
        return self.value

    def held(self, index: int) -> dict[str, float]:
        return {}


@pytest.mark.parametrize("value", [True, False])
def test_nothing_is_refused_without_a_further_look_that_holds_a_value(monkeypatch: pytest.MonkeyPatch, value: bool) -> None:
    monkeypatch.setattr(scoring, "CLEAR", 1.0)  # without an embedder no refusal is clearer than that
    made = engine([LETTER])
    assert isinstance(made.backend, ScriptedBackend)
    made.backend.count.reset()
    verdict = FunctionScorer(made.domain, made.backend, None, made.prepared).verdict("zzz qqq", [0], slots=Holds(value))
    assert verdict.fallback - verdict.rivals[0].score > 0
    assert (made.backend.count.tokens > 0) == value
