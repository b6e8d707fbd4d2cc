"""Greedy decoding gives one call, whoever reads the grammar: llguidance, llama.cpp or Outlines.

The same model, the same prompt, the same grammar in three notations; each reader allows
tokens, and the likeliest allowed one is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import outlines_core
import pytest
from numpy.typing import NDArray

from constrained_du.decoding.backend import Prefix
from constrained_du.decoding.generation import Generator
from constrained_du.decoding.prompt import greedy_prompt
from constrained_du.grammar.compile import Binder, Ontology
from constrained_du.grammar.emit import to_gbnf, to_regex
from constrained_du.grammar.grammar import Grammar
from constrained_du.grammar.surface import parse
from constrained_du.llama import GbnfReader, LlamaBackend
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.specs.spec import Function, read_specs

pytestmark = pytest.mark.model

FOLDER = Path(__file__).resolve().parent.parent / "grammars" / "city_app_en"
UTTERANCES = (
    "train from ams to utrecht", "utr", "where can I eat in Amsterdam?", "open settings", "next train at ehv", "thanks a lot",
)  # fmt: skip


class Recorder:
    """The backend, and the tokens after which it was asked for scores."""

    def __init__(self, backend: LlamaBackend) -> None:
        self._backend = backend
        self.asked: list[tuple[int, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def next_logits(self, prefix: Prefix, tokens: Sequence[int]) -> NDArray[np.float32]:
        self.asked.append(tuple(tokens))
        return self._backend.next_logits(prefix, tokens)


@pytest.fixture(scope="module")
def backend(model_path: Path) -> LlamaBackend:
    return LlamaBackend(model_path, context=1024)


@pytest.fixture(scope="module")
def llama_reader(model_path: Path) -> GbnfReader:
    return GbnfReader(model_path)


@pytest.fixture(scope="module")
def functions() -> list[Function]:
    return read_specs(FOLDER / "specs.json")


@pytest.fixture(scope="module")
def grammar_of(functions: list[Function]) -> Callable[[str], Grammar]:
    recognizers, slot_types = read_recognizers(FOLDER / "recognizers.json")
    ontology = Ontology(recognizers, slot_types)
    return lambda utterance: Grammar(tuple(Binder(utterance, ontology=ontology).bind(f) for f in functions))


@pytest.fixture(scope="module")
def vocabulary(backend: LlamaBackend) -> outlines_core.Vocabulary:
    tokens: dict[bytes, list[int]] = {}
    for token in range(backend.vocabulary_size):
        piece = backend.piece(token)
        if piece and token != backend.end_token:
            tokens.setdefault(piece, []).append(token)
    return outlines_core.Vocabulary(backend.end_token, tokens)


def through_outlines(
    regex: str, vocabulary: outlines_core.Vocabulary, next_logits: Callable[[list[int]], NDArray[np.float32]], end: int
) -> list[int]:
    """The tokens of the answer that always takes the likeliest token of Outlines' guide."""
    guide = outlines_core.Guide(outlines_core.Index(regex, vocabulary))
    tokens: list[int] = []
    while True:
        allowed = np.array(sorted(guide.get_tokens()))
        token = int(allowed[next_logits(tokens)[allowed].argmax()])
        if token == end:
            return tokens
        guide.advance(token)
        tokens.append(token)


@pytest.mark.parametrize("utterance", UTTERANCES)
def test_three_readers_decode_the_same_call(
    backend: LlamaBackend, llama_reader: GbnfReader, functions: list[Function], grammar_of: Callable[[str], Grammar],
    vocabulary: outlines_core.Vocabulary, utterance: str,
) -> None:  # fmt: skip
    grammar, prompt = grammar_of(utterance), greedy_prompt(utterance, functions)
    prefix = backend.prefix([*backend.start_tokens, *backend.encode(prompt)])

    def next_logits(tokens: list[int]) -> NDArray[np.float32]:
        return backend.next_logits(prefix, tokens)

    ours, _ = Generator(backend, fast_forward=False).text(prompt, grammar)
    llama = llama_reader.greedy(to_gbnf(grammar), next_logits)
    outlines = through_outlines(to_regex(grammar), vocabulary, next_logits, backend.end_token)
    assert llama == outlines
    assert b"".join(map(backend.piece, llama)).decode() == ours
    assert parse(ours, grammar) is not None


@pytest.mark.parametrize("utterance", UTTERANCES[:3])
def test_fast_forward_differs_in_how_forced_bytes_are_cut_and_in_nothing_else(
    backend: LlamaBackend, functions: list[Function], grammar_of: Callable[[str], Grammar], utterance: str
) -> None:
    """Up to the first difference both took the same tokens; there the grammar left no choice of bytes."""
    grammar, prompt = grammar_of(utterance), greedy_prompt(utterance, functions)
    forced, masked = Recorder(backend), Recorder(backend)
    fast, _ = Generator(forced).text(prompt, grammar)
    slow, _ = Generator(masked, fast_forward=False).text(prompt, grammar)
    chosen_at = {len(tokens) for tokens in forced.asked}
    pairs = zip(forced.asked[-1], masked.asked[-1], strict=False)
    first = next((index for index, (one, other) in enumerate(pairs) if one != other), None)
    assert first not in chosen_at
    assert first is not None or fast == slow
    assert parse(fast, grammar) is not None
    assert len(forced.asked) < len(masked.asked)
