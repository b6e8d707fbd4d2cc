"""A language model that follows a script: a real backend, without weights.

Tokens are bytes; what follows what is a function of the text so far. Tests state laws with
it that must hold for any model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Count, Passage, Prefix, Query, log_sum_exp

START, END, RESERVED = 256, 257, 258
SIZE = 259

Script = Callable[[bytes], dict[int, float]]
"""Logits of tokens after a text; tokens not named have logit 0."""


def indifferent(text: bytes) -> dict[int, float]:
    return {}


class ScriptedBackend:
    """Scores by a script; counts tokens as a real backend would, every trie node once."""

    context = 3072
    taught = False
    vocabulary_size = SIZE
    start_tokens = (START,)
    end_token = END

    def __init__(self, script: Script = indifferent) -> None:
        self.script = script
        self.count = Count()

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def piece(self, token: int) -> bytes:
        return bytes([token]) if token < 256 else b""

    def exclusive(self) -> AbstractContextManager[Count]:
        @contextmanager
        def held() -> Iterator[Count]:
            self.count.reset()
            yield self.count

        return held()

    def prefix(self, tokens: Sequence[int]) -> Prefix:
        return Prefix(tuple(tokens), bytes(t for t in tokens if t < 256) or b"-")

    def next_logits(self, prefix: Prefix, tokens: Sequence[int]) -> NDArray[np.float32]:
        self.count.passes += 1
        self.count.tokens += 1
        logits = np.zeros(SIZE, np.float32)
        for token, value in self.script(self._text([*prefix.tokens, *tokens])).items():
            logits[token] = value
        return logits

    def score(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        self.count.passes += 1
        return [[self._scores(query, continuation) for continuation in query.continuations] for query in queries]

    def _scores(self, query: Query, continuation: Sequence[int]) -> list[float]:
        scores = []
        for at in range(query.given, len(continuation)):
            logits = self.next_logits(query.prefix, continuation[:at])
            self.count.passes -= 1
            scores.append(float(logits[continuation[at]]) - log_sum_exp(logits))
        return scores

    def read(self, passages: Sequence[Passage]) -> list[list[list[float]]]:
        self.count.passes += 1
        return [[self._among(passage, at, tokens) for at, tokens in passage.asked] for passage in passages]

    def _among(self, passage: Passage, at: int, tokens: Sequence[int]) -> list[float]:
        logits = self.next_logits(passage.prefix, passage.tokens[: at + 1])[list(tokens)]
        self.count.passes -= 1
        return [float(logit) - log_sum_exp(logits) for logit in logits]

    @staticmethod
    def _text(tokens: Sequence[int]) -> bytes:
        return bytes(token for token in tokens if token < 256)
