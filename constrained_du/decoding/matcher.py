"""Joins grammar and tokens: which tokens may come next, and which must.

A thin cover over llguidance, the one place that knows it, loaded once it is needed: most
answers are scored, not decoded. Cursors mutate; all else is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Backend
from constrained_du.errors import GrammarError


@dataclass(frozen=True)
class TokenTable:
    """A vocabulary's bytes as llguidance wants them; made once for a model."""

    tokenizer: Any
    size: int

    @classmethod
    def of(cls, backend: Backend) -> TokenTable:
        import llguidance

        size = backend.vocabulary_size
        pieces = [backend.piece(token) for token in range(size)]
        wrapped = llguidance.TokenizerWrapper(_Vocabulary(backend, pieces))
        return cls(llguidance.LLTokenizer(wrapped, n_vocab=size), size)


class _Vocabulary:
    """The duck type that llguidance's TokenizerWrapper asks for."""

    def __init__(self, backend: Backend, pieces: list[bytes]) -> None:
        # An empty piece would match anywhere; control tokens get a name no text can have.
        self.tokens = [piece or b"\xff" + f"<[{token}]>".encode() for token, piece in enumerate(pieces)]
        self.special_token_ids = [token for token, piece in enumerate(pieces) if not piece]
        self.bos_token_id = backend.start_tokens[0] if backend.start_tokens else None
        self.eos_token_id = backend.end_token
        self._backend = backend

    def __call__(self, text: bytes | str) -> list[int]:
        return self._backend.encode(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)


class Matcher:
    """A cursor in one grammar.

    ``forcing``: bytes that the grammar forces are allowed only in the tokens that the model's
    tokenizer cuts them into. Without it any token that fits is allowed, as in other readers.
    """

    def __init__(self, table: TokenTable, lark: str, forcing: bool = True) -> None:
        import llguidance
        import llguidance.numpy

        self._table, self._masks = table, llguidance.numpy
        options = "" if forcing else '%llguidance {"no_forcing": true}\n'
        self._matcher = llguidance.LLMatcher(table.tokenizer, options + lark, log_level=0)
        self._check()
        self._mask = self._masks.allocate_token_bitmask(1, table.size)

    @property
    def is_accepting(self) -> bool:
        return bool(self._matcher.is_accepting())

    @property
    def is_finished(self) -> bool:
        """Whether the text is complete and nothing can follow."""
        return bool(self._matcher.is_stopped())

    def allowed(self) -> NDArray[np.bool_]:
        """Which tokens may come next, shape (vocabulary,)."""
        self._masks.fill_next_token_bitmask(self._matcher, self._mask, 0)
        self._check()
        bits = np.unpackbits(self._mask[0].view(np.uint8), bitorder="little")
        return bits[: self._table.size].astype(np.bool_)

    def accept(self, token: int) -> None:
        self._matcher.consume_token(token)
        self._check()

    def forced(self) -> list[int]:
        """Accepts and returns the tokens that the grammar leaves no choice about."""
        tokens = [int(token) for token in self._matcher.compute_ff_tokens()]
        for token in tokens:
            self.accept(token)
        return tokens

    def _check(self) -> None:
        problem = self._matcher.get_error()
        if problem:
            raise GrammarError(f"llguidance refuses the grammar: {problem[:300]}")
