"""What a taught model is given to read, and what is made of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedBackend

from constrained_du import Converter
from constrained_du.decoding import reading
from constrained_du.decoding.backend import Passage
from constrained_du.functions.reader import Reader, head_of
from constrained_du.llama import LlamaBackend
from constrained_du.slots.tags import Tags
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import Exemplar, read_exemplars
from constrained_du.specs.schema import Member
from constrained_du.specs.spec import Function, SpecWarning, read_specs
from constrained_du.types import Span

SPEC: dict[str, Any] = {
    "label": "post_parcel", "name": ["post parcel"], "description": "Send a parcel to somebody.",
    "parameters": {"type": "object", "required": [], "properties": {
        "receiver": {"type": "string", "description": "Who gets the parcel."},
        "town": {"type": "string"},
        "speed": {"type": "string", "enum": ["slow", "fast"], "description": "How quickly it goes."},
    }},
}  # fmt: skip


def function() -> Function:
    return read_specs([SPEC])[0]


def exemplars(*templates: str) -> list[Exemplar]:
    return read_exemplars({"post_parcel": list(templates)}, {"post_parcel": frozenset(("receiver", "town", "speed"))})


def words_as_tokens(text: str) -> list[int]:
    return [sum(byte << 8 * place for place, byte in enumerate(word.encode())) for word in text.split()]


def members(**described: str) -> tuple[Member, ...]:
    properties = {name: {"type": "string", "description": text} for name, text in described.items()}
    return read_specs([{**SPEC, "parameters": {"type": "object", "properties": properties}}])[0].slots


def test_a_head_names_the_function_its_slots_by_their_words_and_how_it_is_asked_for() -> None:
    assert reading.head(words_as_tokens, function(), exemplars("a parcel for <receiver> in <town>")) == (
        "Function: post parcel: Send a parcel to somebody.\n"
        "receiver: Who gets the parcel. = receiver\n"
        "town = town\n"
        "speed: How quickly it goes. (slow, fast) = speed\n"
        "Say: a parcel for <receiver> in <town>"
    )


@pytest.mark.parametrize(
    ("slots", "words"),
    [
        (members(leaving_date="", return_date=""), ["leaving", "return"]),
        (members(parcel_name="", number_of_boxes=""), ["parcel", "boxes"]),
        (members(object_name="", object_type=""), ["name", "type"]),
        (members(value="The town it goes to.", Value="Who pays for it."), ["town", "who"]),
        (members(x1="", x2=""), ["A", "B"]),
    ],
    ids=["what tells names apart", "words that say something", "vague words where only they differ", "descriptions", "letters"],
)
def test_a_slot_is_answered_by_a_word_of_its_own(slots: tuple[Member, ...], words: list[str]) -> None:
    assert [answer.word for answer in reading.answers(words_as_tokens, slots).values()] == words


def test_a_slot_that_no_token_tells_apart_is_not_read() -> None:
    assert list(reading.answers(ScriptedBackend().encode, members(town="", receiver=""))) == [], "every word begins with a blank"


def test_the_exemplars_of_a_head_show_every_slot_before_one_slot_twice() -> None:
    shown = exemplars(*(f"parcel {n} for <receiver>" for n in range(8)), "to <town>", "send it <speed>", "just send it")
    texts = [exemplar.text for exemplar in reading.chosen(shown)]
    assert len(texts) == reading.MOST_SHOWN and {"to <town>", "send it <speed>"} <= set(texts)
    assert "just send it" not in texts and texts == [e.text for e in shown if e.text in texts], "in their own order"


@pytest.mark.parametrize("text", ["send it to Ann", "  to   Ann, please!", "für Änne — ok", "a"])
def test_a_word_is_judged_after_its_last_token_in_the_second_copy(text: str) -> None:
    backend = ScriptedBackend()
    words = [Span(unit.start, unit.end) for unit in View(text).units]
    laid = reading.layout(backend.encode, backend.piece, text, words, (), True)
    whole = bytes(laid.tokens).decode()
    assert whole == f'\nUser: "{text}{reading.TAIL}{text}'
    assert bytes(laid.tokens[: laid.meant + 1]).decode().endswith(f'"{text}{reading.TAIL}')
    for word, at in zip(words, laid.words, strict=True):
        assert bytes(laid.tokens[: at + 1]).decode().endswith(reading.TAIL + text[: word.end])


def test_what_was_asked_stands_before_what_was_said() -> None:
    asked = [function().slot["town"]]
    laid = reading.layout(ScriptedBackend().encode, ScriptedBackend().piece, "Bath", [Span(0, 4)], asked, True)
    assert bytes(laid.tokens).decode().startswith('\nAsked: town\nUser: "Bath"')


def test_no_slots_no_second_copy() -> None:
    laid = reading.layout(ScriptedBackend().encode, ScriptedBackend().piece, "Bath", [Span(0, 4)], (), False)
    assert laid.words == () and laid.meant == len(laid.tokens) - 1


def tags(*words: Sequence[float]) -> Tags:
    """Rows of probabilities: receiver, town, none."""
    return Tags(("receiver", "town"), [[log(p) for p in word] for word in words])


def test_tags_say_how_likely_each_word_of_a_span_is_in_a_slot() -> None:
    found = tags((0.8, 0.1, 0.1), (0.6, 0.2, 0.2), (0.1, 0.1, 0.8))
    own = found.features("receiver", 0, 1)
    assert own["tagged"] == pytest.approx((log(8) + log(3)) / 2)
    assert own["tagged least"] == pytest.approx(log(3))
    assert own["tagged ahead"] == pytest.approx((log(8) + log(3)) / 2)
    assert own["tagged beyond"] == pytest.approx(0.1), "the word after it"
    assert found.features("town", 0, 1)["tagged ahead"] < 0
    assert found.features("speed", 0, 1) == {}, "a slot that was not read"


def test_one_slot_is_ahead_of_nothing_by_the_most_there_is() -> None:
    assert Tags(("town",), [[log(0.9), log(0.1)]]).features("town", 0, 0)["tagged ahead"] > 0


# -- the real model, with its adapter ----------------------------------------------------------


@pytest.fixture(scope="module")
def backend(model_path: Path) -> LlamaBackend:
    found = LlamaBackend(model_path, threads=1)
    assert found.taught, "it is pulled with its adapter"
    return found


def reader(backend: LlamaBackend, text: str, **named: frozenset[str]) -> Reader:
    return Reader(backend, [function()], {0: backend.prefix(head_of(function(), backend))}, View(text), named)


def test_slots_and_verdicts_differ_in_their_first_tokens(backend: LlamaBackend) -> None:
    slots = members(**{f"slot{number}": "" for number in range(30)})
    tokens = [answer.token for answer in reading.answers(backend.encode, slots).values()]
    assert len(set(tokens)) == len(tokens) >= reading.MOST_SLOTS - 1 and backend.encode(reading.NO_SLOT)[0] not in tokens
    assert backend.encode(reading.YES) != backend.encode(reading.NO)


def test_a_function_is_read_once_in_one_pass(backend: LlamaBackend) -> None:
    reads = reader(backend, "send the box to Mister Bloom in Dublin")
    with backend.exclusive() as count:
        found = reads.of([0])
        assert count.passes == 1
        assert reads.of([0]) == found and count.passes == 1
    said = len(backend.encode("send the box to Mister Bloom in Dublin"))
    around = len(backend.encode(reading.opening())) + len(backend.encode(reading.TAIL))
    assert count.tokens == 1 + around + 2 * said, "the head's last token, the frame, and two copies"


def test_a_taught_model_tells_who_from_where(backend: LlamaBackend) -> None:
    found = reader(backend, "send the box to Mister Bloom in Dublin").of([0])[0].tags
    assert found is not None
    bloom, dublin = found.features("receiver", 4, 5), found.features("town", 7, 7)
    assert bloom["tagged ahead"] > 0 and dublin["tagged ahead"] > 0
    assert found.features("receiver", 0, 1)["tagged"] < 0, "“send the” is nobody"


@pytest.mark.parametrize("text", ["word " * 200, "ロンドンへ荷物を送って"])
def test_what_is_too_long_or_in_another_script_is_not_read(backend: LlamaBackend, text: str) -> None:
    reads = reader(backend, text)
    with backend.exclusive() as count:
        assert reads.of([0]) == {} and count.tokens == 0


def test_a_model_that_was_not_taught_is_not_asked(multilingual_path: Path) -> None:
    converter = Converter(multilingual_path, embedder=None, context=512).add_function_specs([SPEC]).finalize()
    backend = LlamaBackend(multilingual_path, context=512)
    assert not backend.taught and converter.convert("post it to Bath").calls


ASKING = {**SPEC, "parameters": {**SPEC["parameters"], "required": ["receiver", "town"]}}
"""A function that is read: it requires slots."""


@pytest.fixture
def passages(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many functions were read at each time of asking."""
    asked: list[int] = []
    read = LlamaBackend.read

    def counted(self: LlamaBackend, passages: Sequence[Passage]) -> list[list[list[float]]]:
        asked.append(len(passages))
        return read(self, passages)

    monkeypatch.setattr(LlamaBackend, "read", counted)
    return asked


def test_a_supplied_value_outweighs_what_the_model_says_of_its_words(model_path: Path, passages: list[int]) -> None:
    slots = {**ASKING["parameters"]["properties"], "receiver": {"type": "contact"}}
    spec = {**ASKING, "parameters": {**ASKING["parameters"], "properties": slots}}
    converter = Converter(model_path, embedder=None, context=1024).add_function_specs([spec])
    with pytest.warns(SpecWarning, match="contact"):
        converter.finalize()
    result = converter.convert("post the parcel quickly", {"contact": [(9, 15)]}, tool_choice="required")
    assert dict(result[0].arguments)["receiver"] == "parcel" and passages == [1], "the town is open"


SHOWN = {"post_parcel": ["post it to <receiver>", "a parcel for <receiver> in <town>", "send it <speed> to <receiver> in <town>"]}


def test_a_function_that_exemplars_show_is_read_where_two_ways_are_alike(model_path: Path, passages: list[int]) -> None:
    converter = Converter(model_path, embedder=None, context=1024).add_function_specs([SPEC]).add_exemplars(SHOWN).finalize()
    assert converter.convert("post it to Bloom").calls and passages == [], "an exemplar word for word"
    assert converter.convert("my old parcel should reach Bloom Dublin somehow", tool_choice="required").calls and passages == [1]


def test_a_function_that_nothing_shows_and_that_requires_nothing_is_not_read(model_path: Path, passages: list[int]) -> None:
    converter = Converter(model_path, embedder=None, context=1024).add_function_specs([SPEC]).finalize()
    assert converter.convert("post it to Mister Bloom in Dublin").calls and passages == []


def test_an_artifact_keeps_what_a_taught_model_reads_first(model_path: Path, tmp_path: Path, passages: list[int]) -> None:
    made = Converter(model_path, embedder=None, context=1024).add_function_specs([ASKING]).finalize(tmp_path / "parcels")
    said = "kindly post it on to old Mister Bloom, somewhere or other"
    loaded = Converter.load_from_disk(tmp_path / "parcels")
    first, again = made.convert(said, tool_choice="required"), loaded.convert(said, tool_choice="required")
    assert again.calls == first.calls and passages == [1, 1]
    assert again.stats.tokens_evaluated == first.stats.tokens_evaluated
