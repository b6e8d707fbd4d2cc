"""Best-first search over the slots of one call: exact, lazy, deterministic.

Each slot takes one of its ranked options or none; spans of different slots never overlap.
Knows scores and spans only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Protocol, TypeVar

from constrained_du.types import Span

MAX_STEPS = 20_000  # states taken from the queue; beyond, the best found so far end the search


class Option(Protocol):
    @property
    def score(self) -> float: ...

    @property
    def located(self) -> tuple[Span, ...]: ...


T = TypeVar("T", bound=Option)


def assignments(slots: Sequence[Sequence[T]], required: bool = False) -> Iterator[tuple[tuple[T | None, ...], float]]:
    """Assignments by falling total score; ``required`` leaves no slot out.

    ``slots[i]`` are the options of slot i, best first, with log odds against absence
    (which scores 0). Ties go to the earlier slot's better option.
    """
    ranked: list[list[T | None]] = [_with_absence(options, required) for options in slots]
    best_rest = [0.0] * (len(slots) + 1)
    for index in range(len(slots) - 1, -1, -1):
        if not ranked[index]:
            return
        best_rest[index] = best_rest[index + 1] + _score(ranked[index][0])
    queue: list[tuple[float, tuple[int, ...], tuple[Span, ...]]] = [(-best_rest[0], (), ())]
    for _ in range(MAX_STEPS):
        if not queue:
            return
        bound, picks, used = heappop(queue)
        depth = len(picks)
        if depth == len(slots):
            chosen = tuple(ranked[slot][pick] for slot, pick in enumerate(picks))
            yield chosen, -bound
            continue
        done = -bound - best_rest[depth]
        _push_from(queue, ranked[depth], 0, picks, used, done, best_rest[depth + 1])


def _push_from(
    queue: list[tuple[float, tuple[int, ...], tuple[Span, ...]]],
    options: Sequence[T | None],
    first: int,
    picks: tuple[int, ...],
    used: tuple[Span, ...],
    done: float,
    rest: float,
) -> None:
    for index in range(first, len(options)):
        option = options[index]
        spans = () if option is None else option.located
        if any(span.overlaps(other) for span in spans for other in used):
            continue
        heappush(queue, (-(done + _score(option) + rest), (*picks, index), (*used, *spans)))


def _with_absence(options: Sequence[T], required: bool) -> list[T | None]:
    ranked: list[T | None] = list(options)
    if not required:
        place = next((i for i, option in enumerate(options) if option.score < 0), len(options))
        ranked.insert(place, None)
    return ranked


def _score(option: Option | None) -> float:
    return 0.0 if option is None else option.score
