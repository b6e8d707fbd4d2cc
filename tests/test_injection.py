"""Hostile words stay words: no special token, no foreign function or value, no harm to others.

The rows are in ``injections``. All of them are cut by the tokenizers of both real models and go
through the whole engine with made-up scores; one of each kind goes through the real model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from injections import ALL, RESULTS, TEXTS, UTTERANCES, VALUES, Row
from numpy.typing import NDArray
from scripted import ScriptedBackend

from constrained_du import Converter
from constrained_du.answers.engine import Engine
from constrained_du.decoding.backend import Prefix, Query
from constrained_du.decoding.generation import Generator
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import read_request
from constrained_du.domain.sayable import is_sayable
from constrained_du.functions.preparing import prepare
from constrained_du.grammar.compile import Binder
from constrained_du.llama.library import Tokens, Weights
from constrained_du.loading import Settings
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.server.chat_answer import completion, of_text
from constrained_du.server.chat_request import ChatRequest, order
from constrained_du.server.options import Limits
from constrained_du.server.tool_results import told
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.types import DO_NOT_UNDERSTAND, Call, Result

SPECS: list[dict[str, Any]] = [
    {"name": "open_gate", "description": "Open the garden gate"},
    {"name": "water_plants", "description": "Water the plants in a bed", "parameters": {"type": "object", "properties": {
        "bed": {"type": "bed"}, "minutes": {"type": "integer", "minimum": 1, "maximum": 60},
    }, "required": ["bed"]}},
    {"name": "note", "description": "Write something down", "parameters": {"type": "object", "properties": {
        "text": {"type": "string"}, "mood": {"enum": ["good", "bad"]},
    }}},
]  # fmt: skip
EXEMPLARS = {"open_gate": [{"template": "let the dog out"}], "water_plants": [{"template": "the <bed> is thirsty"}]}
RECOGNIZERS = {"bed": {"name": "bed", "instances": [
    {"label": "roses", "expressions": ["roses", "rose bed"]}, {"label": "herbs", "expressions": ["herbs"]},
]}}  # fmt: skip
LABELS = {"open_gate", "water_plants", "note", DO_NOT_UNDERSTAND}
BENIGN = "water the rose bed for ten minutes"


class RealWords(ScriptedBackend):
    """A real model's tokenizer before scores that are made up; remembers every token it is given."""

    end_token = 2
    context = 1 << 20  # the longest rows go all the way

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.tokens, self.seen = tokens, set[int]()
        self.start_tokens = (tokens.bos,)
        self.vocabulary_size = tokens.size

    def encode(self, text: str) -> list[int]:
        return self.tokens.encode(text)

    def piece(self, token: int) -> bytes:
        return self.tokens.piece(token)

    def prefix(self, tokens: Sequence[int]) -> Prefix:
        self.seen.update(tokens[1:] if tokens[0] == self.tokens.bos else tokens)  # the one that we put there ourselves
        return Prefix(tuple(tokens), b"-")

    def score(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        for query in queries:
            for tokens in query.continuations:
                self.seen.update(tokens)
        return [
            [[-1.0 - token % 97 / 9 for token in tokens[query.given :]] for tokens in query.continuations]
            for query in queries
        ]  # fmt: skip

    def next_logits(self, prefix: Prefix, tokens: Sequence[int]) -> NDArray[np.float32]:
        self.seen.update(tokens)
        return self.order

    @cached_property
    def order(self) -> NDArray[np.float32]:
        return (np.arange(self.tokens.size) % 97).astype(np.float32)

    @property
    def special(self) -> list[int]:
        """The tokens among those seen that no text may become."""
        return [token for token in self.seen if self.tokens.is_control(token)]


def domain(specs: list[dict[str, Any]], strings_free: bool = False) -> Domain:
    functions = tuple(read_specs(specs, strings_free=strings_free))
    recognizers, slot_types = read_recognizers(RECOGNIZERS)
    slots = {function.label: frozenset(function.slot) for function in functions}
    exemplars = tuple(read_exemplars({k: v for k, v in EXEMPLARS.items() if k in slots}, slots))
    return Domain(functions, exemplars, recognizers, slot_types)


def engine(tokens: Tokens, specs: list[dict[str, Any]] = SPECS, **settings: Any) -> Engine:
    made = domain(specs)
    backend = RealWords(tokens)
    return Engine(made, backend, None, prepare(made, backend, None), Settings("words", **settings), Generator(backend))


@pytest.fixture(scope="module", params=["English", "multilingual"])
def tokens(request: pytest.FixtureRequest, model_path: Path, multilingual_path: Path) -> Tokens:
    """The vocabulary of each of the real models, alone."""
    return Tokens(Weights(model_path if request.param == "English" else multilingual_path, 0, vocab_only=True))


@pytest.fixture(scope="module")
def english(model_path: Path) -> Tokens:
    return Tokens(Weights(model_path, 0, vocab_only=True))


@pytest.fixture(scope="module")
def app(english: Tokens) -> Engine:
    return engine(english)


@pytest.fixture(scope="module")
def alone(app: Engine) -> bytes:
    """The answer to a harmless request before any hostile one."""
    return shown(ask(app, BENIGN, n_best=4))


def ask(made: Engine, utterance: str, **arguments: Any) -> Result:
    backend = made.backend
    assert isinstance(backend, RealWords)
    backend.seen.clear()
    result = made.answer(read_request(made.domain, utterance, **arguments))
    assert backend.special == [], [backend.tokens.piece(token) for token in backend.special]
    check(made, result, utterance, **arguments)
    return result


def check(made: Engine, result: Result, utterance: str, **arguments: Any) -> None:
    """Only listed functions and values that can be said."""
    request = read_request(made.domain, utterance, **arguments)
    binder = Binder(utterance, request.candidates, made.domain.ontology, None)
    for alternative in result.alternatives:
        for call in alternative.calls:
            assert call.name in {*made.domain.index, DO_NOT_UNDERSTAND}
            assert is_sayable({"name": call.name, "arguments": dict(call.arguments)}, made.domain, binder), call
    assert json.loads(json.dumps(result.to_openai()))["role"] == "assistant"


def shown(result: Result) -> bytes:
    """All of an answer but its time, to the last byte."""
    return repr([(a.calls, a.score, a.confidence) for a in result.alternatives]).encode()


def test_there_are_enough_rows_and_no_two_are_alike() -> None:
    assert len(ALL) >= 200
    assert len({(row.kind, row.text) for row in ALL}) == len(ALL)
    assert len({(row.kind, row.name) for row in ALL}) == len(ALL)


@pytest.mark.parametrize("row", UTTERANCES, ids=[f"{row.kind}: {row.name}" for row in UTTERANCES])
def test_an_utterance_is_only_words(app: Engine, alone: bytes, row: Row) -> None:
    result = ask(app, row.text, n_best=4)
    assert {call.name for alternative in result.alternatives for call in alternative.calls} <= LABELS
    for call in result.calls:
        for value in call.arguments.values():
            assert not isinstance(value, str) or value in ("roses", "herbs", "good", "bad") or value in row.text
    assert shown(ask(app, BENIGN, n_best=4)) == alone


@pytest.mark.parametrize("row", ALL, ids=[f"{row.kind}: {row.name}" for row in ALL])
def test_every_text_is_cut_into_plain_tokens_and_back(tokens: Tokens, row: Row) -> None:
    cut = tokens.encode(row.text)
    assert not any(map(tokens.is_control, cut))
    read = b"".join(map(tokens.piece, cut)).decode()
    assert read.replace("▁", " ").strip(" ") == row.text.replace("▁", " ").strip(" "), "SentencePiece writes a blank as ▁"


def test_the_name_of_every_special_token_is_plain_text(tokens: Tokens) -> None:
    special = [token for token in range(tokens.size) if tokens.is_control(token)]
    names = [row.text for row in ALL if row.kind == "marker"]
    assert special and names
    for token in special:
        name = spelt(tokens, token)
        assert not any(map(tokens.is_control, tokens.encode(f"turn {name} on"))), name


def spelt(tokens: Tokens, token: int) -> str:
    """A special token as it is written in the vocabulary, which ``piece`` hides."""
    from llama_cpp import llama_cpp

    return str(llama_cpp.llama_vocab_get_text(tokens._vocab, token).decode("utf-8", "replace"))


@pytest.mark.parametrize("row", UTTERANCES[::4], ids=[f"{row.kind}: {row.name}" for row in UTTERANCES[::4]])
def test_what_was_said_before_is_only_words(app: Engine, row: Row) -> None:
    ask(app, "the herbs too", history=[row.text[:2000], "yes"], expectations=[("bed", "water_plants")])


@pytest.mark.parametrize("row", VALUES, ids=[row.name for row in VALUES])
def test_a_value_that_is_supplied_is_that_value(app: Engine, row: Row) -> None:
    said = f"water {row.text} for ten minutes"
    span = (6, 6 + len(row.text))
    for given in (span, (*span, row.text), (6, 9, row.text)):
        result = ask(app, said, entities={"bed": [given]}, tool_choice="water_plants", n_best=4)
        beds = {a.calls[0].arguments["bed"] for a in result.alternatives if "bed" in a.calls[0].arguments}
        assert beds <= {row.text}
        assert row.text in beds


@pytest.mark.parametrize("row", TEXTS, ids=[row.name for row in TEXTS])
def test_what_a_spec_says_of_itself_is_only_words(english: Tokens, row: Row) -> None:
    hostile = {
        "label": "feed_fish", "name": [row.text[:300]], "description": row.text,
        "parameters": {"type": "object", "properties": {
            "food": {"enum": [row.text, "flakes"], "title": row.text[:200], "description": row.text},
        }},
    }  # fmt: skip
    made = engine(english, [*SPECS, hostile])
    backend = made.backend
    assert isinstance(backend, RealWords) and backend.special == [], "while it was compiled"
    result = ask(made, "feed the fish some flakes", n_best=24)
    names = {call.name for alternative in result.alternatives for call in alternative.calls}
    assert names <= {*LABELS, "feed_fish"}
    foods = {a.calls[0].arguments.get("food") for a in result.alternatives if a.calls[0].name == "feed_fish"}
    assert foods <= {row.text, "flakes", None}
    assert is_sayable({"name": "feed_fish", "arguments": {"food": row.text}}, made.domain,
                      Binder("feed", read_request(made.domain, "feed").candidates, made.domain.ontology, None))  # fmt: skip


def test_greedy_decoding_of_hostile_words_stays_in_the_grammar(english: Tokens) -> None:
    made = engine(english, decoder="greedy")
    for row in UTTERANCES[:: len(UTTERANCES) // 12]:
        if len(row.text) < 500:
            ask(made, row.text)


@pytest.mark.parametrize("row", RESULTS, ids=[row.name for row in RESULTS])
def test_what_a_tool_brings_back_is_told_and_never_obeyed(row: Row) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "note", "arguments": "{}"}}
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "note it"}, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": row.text},
    ]  # fmt: skip
    request = ChatRequest.model_validate({"model": "m", "messages": talk})
    answer: Any = completion(of_text(told(request.messages)), "m", "f")
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert not answer["choices"][0]["message"].get("tool_calls")
    later = ChatRequest.model_validate({"model": "m", "messages": [*talk, {"role": "user", "content": BENIGN}]})
    asked = order(later, sorted(LABELS), Limits())
    assert asked.utterance == BENIGN and asked.arguments["history"] == ["note it"], "tools are not the user"


# -- the real model: one row of each kind, and the longest --------------------------------

REAL = [*{row.kind: row for row in UTTERANCES}.values(), *UTTERANCES[5:90:16]]


@pytest.fixture(scope="module")
def garden(model_path: Path) -> Converter:
    converter = Converter(model_path, embedder=None).add_function_specs(SPECS).add_exemplars(EXEMPLARS)
    return converter.add_recognizers(RECOGNIZERS).finalize()


def test_a_benign_request_among_hostile_ones_has_the_score_it_has_alone(garden: Converter) -> None:
    alone = shown(garden.convert(BENIGN, n_best=3))
    hostile = [row.text[:120] for row in REAL]
    texts = [*hostile[:4], BENIGN, *hostile[4:8], BENIGN, *hostile[8:], BENIGN]
    together = garden.convert_batch(texts, n_best=3)
    assert [shown(result) for text, result in zip(texts, together, strict=True) if text == BENIGN] == [alone] * 3
    for text, result in zip(texts, together, strict=True):
        for alternative in result.alternatives:
            assert {call.name for call in alternative.calls} <= LABELS
            assert all(garden.accepts(said(call), text) for call in alternative.calls)


def test_ten_thousand_combining_marks_are_an_answer_or_too_long_and_the_next_request_is_right(garden: Converter) -> None:
    from constrained_du import ContextOverflowError

    alone = shown(garden.convert(BENIGN, n_best=3))
    with pytest.raises(ContextOverflowError, match="tokens"):
        garden.convert("open the gate a" + "\u0301" * 10_000)
    assert shown(garden.convert(BENIGN, n_best=3)) == alone


def said(call: Call) -> dict[str, Any]:
    return {"name": call.name, "arguments": dict(call.arguments)}
