"""Foreign readers of what ``emit`` writes, each as (notation, texts) → verdicts. Our own is ``surface.parse``."""

from __future__ import annotations

from collections.abc import Sequence

import llguidance
import outlines_core

from constrained_du.grammar.grammar import Grammar
from constrained_du.grammar.surface import parse

_BYTES = llguidance.LLTokenizer("byte")
_VOCABULARY = outlines_core.Vocabulary(256, {bytes([byte]): [byte] for byte in range(256)})


def ours(grammar: Grammar, texts: Sequence[str]) -> list[bool]:
    return [parse(text, grammar) is not None for text in texts]


def llguidance_reads(lark: str, texts: Sequence[str]) -> list[bool]:
    """Byte by byte; a text is in the language if it is taken whole and may end there."""
    matcher = llguidance.LLMatcher(_BYTES, lark, log_level=0)
    assert not matcher.get_error(), matcher.get_error()
    verdicts = []
    for text in texts:
        matcher.reset()
        data = list(text.encode("utf-8"))
        verdicts.append(matcher.try_consume_tokens(data) == len(data) and bool(matcher.is_accepting()))
    return verdicts


def outlines_reads(regex: str, texts: Sequence[str]) -> list[bool]:
    """Through the index of states that Outlines masks with, over a vocabulary of single bytes."""
    index = outlines_core.Index(regex, _VOCABULARY)
    return [_leads_to_an_end(index, text.encode("utf-8")) for text in texts]


def _leads_to_an_end(index: outlines_core.Index, data: bytes) -> bool:
    state = index.get_initial_state()
    for byte in data:
        state = index.get_next_state(state, byte)
        if state is None:
            return False
    return bool(index.is_final_state(state))
