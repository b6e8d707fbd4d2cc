"""Text that no candidate list holds: greedy decoding under the grammar, token by token.

Masks and forced tokens come from llguidance on the Lark text; tokens that the grammar forces
are evaluated together with the next choice, never one at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constrained_du.decoding.backend import Backend, Prefix, log_sum_exp
from constrained_du.decoding.matcher import Matcher, TokenTable
from constrained_du.decoding.prompt import greedy_prompt
from constrained_du.errors import DecodeError, GrammarError
from constrained_du.grammar.emit import to_lark
from constrained_du.grammar.grammar import CallGrammar, Field, Grammar, Members, OneOf
from constrained_du.grammar.grammar import Choice as GrammarChoice
from constrained_du.grammar.surface import parse
from constrained_du.specs.schema import Member
from constrained_du.specs.spec import Function
from constrained_du.types import Call, JsonValue

MAX_TOKENS = 4096  # of one generated answer: above any bounded grammar this package emits


@dataclass
class Generator:
    """Decodes greedily under a grammar. One request at a time, like its backend.

    ``fast_forward``: bytes that the grammar forces are written in the tokens that the model
    knows them by, without asking it. Without, each token is the likeliest allowed one, as in
    decoders that only mask; these may cut forced bytes in another way and then go another way.
    ``start``: tokens before every prompt; then, as a serving engine does, the prompt is evaluated
    at once and not as a saved prefix, which rounds otherwise.
    """

    backend: Backend
    fast_forward: bool = True
    start: tuple[int, ...] | None = None

    @cached_property
    def table(self) -> TokenTable:
        return TokenTable.of(self.backend)

    def text(self, prompt: str, grammar: Grammar) -> tuple[str, float]:
        """The answer that always takes the likeliest legal token, and the log of its
        probability among the legal ones; forced tokens cost nothing.

        Raises DecodeError when the grammar leaves nothing to say.
        """
        matcher = Matcher(self.table, to_lark(grammar), self.fast_forward)
        prefix, asked = self._begun(prompt)
        tokens: list[int] = []
        log_probability = 0.0
        while not matcher.is_finished:
            forced = matcher.forced() if self.fast_forward else []
            tokens += forced
            if matcher.is_finished:
                break
            if len(tokens) > MAX_TOKENS:
                raise DecodeError(f"an answer of more than {MAX_TOKENS} tokens - bound the free text with maxLength")
            mask = matcher.allowed()
            if not mask.any():
                raise DecodeError("the grammar allows no token here - please report this with the spec")
            logits = self.backend.next_logits(prefix, [*asked, *tokens])
            legal = np.where(mask, logits[: len(mask)], -np.inf)
            token = int(legal.argmax())
            log_probability += float(legal[token]) - log_sum_exp(legal)
            if token == self.backend.end_token:
                break
            matcher.accept(token)
            tokens.append(token)
        return b"".join(self.backend.piece(token) for token in tokens).decode("utf-8", "strict"), log_probability

    def _begun(self, prompt: str) -> tuple[Prefix, list[int]]:
        """What is evaluated beforehand, and the rest of the prompt."""
        tokens = self.backend.encode(prompt)
        if self.start is None:
            return self.backend.prefix([*self.backend.start_tokens, *tokens]), []
        whole = [*self.start, *tokens]
        return Prefix(tuple(whole[:1]), b""), whole[1:]

    def calls(self, prompt: str, grammar: Grammar) -> tuple[tuple[Call, ...], float]:
        """The decoded calls, and the log of their probability."""
        text, log_probability = self.text(prompt, grammar)
        calls = parse(text, grammar)
        if calls is None:
            raise DecodeError(f"the decoded text {text!r} is not in its own grammar - please report this with the spec")
        return calls, log_probability

    def value(
        self, utterance: str, function: Function, slot: Member, before: Mapping[str, JsonValue], grammar: CallGrammar
    ) -> JsonValue:
        """A free value for one slot, the others being settled."""
        node = next(f.node for f in grammar.around(dict(before)).fields if f.name == slot.name)
        fields = tuple(
            Field(name, OneOf((GrammarChoice(value),)), True) for name, value in before.items()
        )
        only = Members((*fields, Field(slot.name, node, True)))
        narrowed = Grammar((CallGrammar(function.label, only, grammar.definitions),), fallback=False)
        calls, _ = self.calls(greedy_prompt(utterance, [function]), narrowed)
        if not calls or slot.name not in calls[0].arguments:
            raise GrammarError(f"{function.label}.{slot.name}: no free text fits")
        return calls[0].arguments[slot.name]

