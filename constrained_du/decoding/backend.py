"""What a language model must do for this package, as a protocol, and what it costs.

Implemented by ``llama`` for GGUF files and by a scripted model in the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


def log_sum_exp(logits: NDArray[Any]) -> float:
    """Log of the sum of exponentials, in the precision of the logits."""
    top = logits.max()
    spread = logits - top
    return float(top) + float(np.log(np.exp(spread, out=spread).sum(dtype=np.float64)))


@dataclass(slots=True)
class Count:
    """What one request has cost so far."""

    tokens: int = 0
    passes: int = 0

    def reset(self) -> None:
        self.tokens = self.passes = 0


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """The beginning of a prompt: its tokens, and the state after all of them but the last.

    The last token is evaluated with each continuation, since its scores are not kept.
    """

    tokens: tuple[int, ...]
    state: bytes | memoryview


@dataclass(frozen=True, slots=True)
class Query:
    """Continuations of one prefix, to be scored; each is a sequence of token ids.

    The first ``given`` tokens of each are the same and only set the scene: they are
    evaluated, and neither scored nor returned.
    """

    prefix: Prefix
    continuations: tuple[tuple[int, ...], ...]
    given: int = 0

    @property
    def leaves(self) -> int:
        return len(self.continuations)

    @property
    def cells(self) -> int:
        """The memory that it needs at most, in tokens."""
        return len(self.prefix.tokens) + sum(map(len, self.continuations))


@dataclass(frozen=True, slots=True)
class Passage:
    """One continuation of a prefix, and what is asked on the way: pairs of the index of one of its
    tokens and the tokens that may follow it there."""

    prefix: Prefix
    tokens: tuple[int, ...]
    asked: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def leaves(self) -> int:
        return 1

    @property
    def cells(self) -> int:
        return len(self.prefix.tokens) + len(self.tokens)


class Backend(Protocol):
    """A language model: text to tokens, and log-probabilities of continuations."""

    context: int

    @property
    def taught(self) -> bool:
        """Whether the model knows the prompts of ``reading`` (an adapter of models/adapters)."""
        ...

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def start_tokens(self) -> tuple[int, ...]: ...

    @property
    def end_token(self) -> int: ...

    def encode(self, text: str) -> list[int]:
        """Token ids; markers of chat templates in the text are plain text."""
        ...

    def piece(self, token: int) -> bytes:
        """A token's bytes; empty for control tokens."""
        ...

    def exclusive(self) -> AbstractContextManager[Count]:
        """Held around one request; counts its tokens and passes."""
        ...

    def prefix(self, tokens: Sequence[int]) -> Prefix: ...

    def score(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        """For each query and continuation, the natural log-probability of each scored token."""
        ...

    def read(self, passages: Sequence[Passage]) -> list[list[list[float]]]:
        """For each passage and place the natural log-probability of each token that may follow,
        among these."""
        ...

    def next_logits(self, prefix: Prefix, tokens: Sequence[int]) -> NDArray[np.float32]: ...


class Embedder(Protocol):
    """Texts to unit vectors."""

    size: int

    def embed(self, text: str) -> NDArray[np.float32]: ...


class Remembering:
    """An embedder that embeds a text once: for as long as one request, or one tuning run."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.size = embedder, embedder.size
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, text: str) -> NDArray[np.float32]:
        if text not in self._known:
            self._known[text] = self._embedder.embed(text)
        return self._known[text]
