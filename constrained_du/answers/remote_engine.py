"""One request to a model on another machine: the grammar goes there, a call comes back.

What the local engine decodes greedily, decoded by a serving engine: same prompt, same grammar.
The answer is read by our own reader; what the grammar does not have is an error, not a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import log
from time import perf_counter
from typing import TypeVar

from constrained_du.answers.engine import decoded, settled
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import Request
from constrained_du.errors import DecodeError
from constrained_du.grammar.grammar import Grammar
from constrained_du.grammar.surface import parse
from constrained_du.remote import Serving
from constrained_du.remote.serving import AT_ONCE
from constrained_du.types import Call, Explanation, Result, Stats

UNKNOWN = 0.5  # confidence of an answer about which the engine says no more than its text

Got = TypeVar("Got")


@dataclass(frozen=True)
class RemoteEngine:
    """Answers requests about one domain with one model of a serving engine."""

    domain: Domain
    serving: Serving
    at_once = AT_ONCE

    def answer(self, request: Request) -> Result:
        started = perf_counter()
        tokens = 0

        def decode(prompt: str, grammar: Grammar) -> tuple[tuple[Call, ...], float]:
            nonlocal tokens
            calls, tokens = self._calls(prompt, grammar)
            return calls, log(UNKNOWN)

        result = settled(request) or decoded(self.domain, request, decode, Explanation("server"))
        return replace(result, stats=Stats(tokens, 0, perf_counter() - started))

    def _calls(self, prompt: str, grammar: Grammar) -> tuple[tuple[Call, ...], int]:
        completion = self.serving.complete(prompt, grammar)
        calls = parse(completion.text, grammar)
        if calls is None:
            raise DecodeError(
                f"{self.serving.address.url} gave {completion.text[:300]!r}, which is not in the grammar of the request - does "
                f"the engine obey the field {self.serving.field!r}? ?grammar=FIELD before the # of the address names another"
            )
        return calls, completion.tokens


def together(asks: Sequence[Callable[[], Got]], at_once: int) -> list[Got]:
    """What each returns, in order, so many under way at once; the first failure in order is raised."""
    if at_once <= 1 or len(asks) <= 1:
        return [ask() for ask in asks]
    with ThreadPoolExecutor(min(at_once, len(asks))) as pool:
        return list(pool.map(lambda ask: ask(), asks))
