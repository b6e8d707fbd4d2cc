"""llama.cpp's own reader of GBNF, and its sampler under a grammar."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.errors import DecodeError, GrammarError
from constrained_du.llama.library import Tokens, Weights, c


class GbnfReader:
    """llama.cpp's own reader of GBNF: the judge of what ``emit`` writes. Evaluates no model.

    Loads the vocabulary of a GGUF file only. Texts are read token by token, as its sampler does.
    """

    def __init__(self, path: Path) -> None:
        self._weights = Weights(path, 0, vocab_only=True)
        self._tokens = Tokens(self._weights)
        self._vocab = c.llama_model_get_vocab(self._weights.pointer)

    def can_say(self, text: str) -> bool:
        """Whether the vocabulary has a token for every byte of the text: SmolLM2's lacks F1 and F2."""
        return b"".join(map(self._tokens.piece, self._tokens.encode(text))) == text.encode("utf-8")

    def accepts(self, gbnf: str, texts: Sequence[str]) -> list[bool]:
        """Whether the grammar has each text, whole. Raises GrammarError if llama.cpp cannot read the grammar.

        Only for texts that the vocabulary can say.
        """
        start = self._sampler(gbnf)
        try:
            return [self._reads(start, text) for text in texts]
        finally:
            c.llama_sampler_free(start)

    def greedy(self, gbnf: str, next_logits: Callable[[list[int]], NDArray[np.float32]], most: int = 512) -> list[int]:
        """The tokens of the answer that always takes the likeliest token that the grammar allows."""
        sampler = self._sampler(gbnf)
        tokens: list[int] = []
        try:
            while len(tokens) < most:
                allowed = self._masked(sampler, np.arange(self._tokens.size, dtype=np.int32), next_logits(list(tokens)))
                token = int(allowed.argmax())
                if c.llama_vocab_is_eog(self._vocab, token) or not np.isfinite(allowed[token]):  # there may be several
                    return tokens
                c.llama_sampler_accept(sampler, token)
                tokens.append(token)
        finally:
            c.llama_sampler_free(sampler)
        raise DecodeError(f"an answer of more than {most} tokens - bound the free text with maxLength")

    def _sampler(self, gbnf: str) -> Any:
        sampler = c.llama_sampler_init_grammar(self._vocab, gbnf.encode("utf-8"), b"root")
        if not sampler:
            raise GrammarError(f"llama.cpp cannot read the grammar that begins {gbnf[:80]!r}")
        return sampler

    def _reads(self, start: Any, text: str) -> bool:
        sampler = c.llama_sampler_clone(start)
        try:
            for token in [*self._tokens.encode(text), self._tokens.eos]:
                if not np.isfinite(self._masked(sampler, np.array([token], np.int32), np.zeros(1, np.float32)))[0]:
                    return False
                if token != self._tokens.eos:
                    c.llama_sampler_accept(sampler, token)
            return True
        finally:
            c.llama_sampler_free(sampler)

    @staticmethod
    def _masked(sampler: Any, tokens: NDArray[np.int32], logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits, minus infinity where the grammar forbids the token."""
        rows = (c.llama_token_data * len(tokens))()
        row = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        view: NDArray[Any] = np.frombuffer(memoryview(rows), dtype=row)
        view["id"], view["logit"] = tokens, logits
        candidates = c.llama_token_data_array(rows, len(tokens), -1, False)
        c.llama_sampler_apply(sampler, ctypes.byref(candidates))
        masked: NDArray[np.float32] = view["logit"].copy()
        return masked
