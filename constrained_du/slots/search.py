"""The best assignments of options to slots: exact, lazy, deterministic.

Each slot takes one of its options or none; spans of different slots never overlap. A lattice
over the utterance holds the options that have a span: a path visits positions from left to
right, skipping or placing a slot. Slots without spans are independent of it. Knows scores
and spans only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from math import exp, inf, log
from typing import Generic, Protocol, TypeVar

from constrained_du.types import Span

BEAM = 400  # sets of filled slots that are followed at each position; more only in long forms


class Option(Protocol):
    @property
    def score(self) -> float: ...

    @property
    def located(self) -> tuple[Span, ...]: ...


T = TypeVar("T", bound=Option)


class Assignments(Generic[T]):
    """All assignments for some slots. ``slots[i]`` are the options of slot i, log odds
    against absence (which scores 0); ``required`` leaves no slot out. ``margin`` drops beginnings
    that score so much less than the best one that reaches as far: for when only likely ones matter."""

    def __init__(self, slots: Sequence[Sequence[T]], required: bool = False, margin: float = inf) -> None:
        self._slots = slots
        self._lattice = [i for i, options in enumerate(slots) if any(option.located for option in options)]
        self._free = [i for i in range(len(slots)) if i not in self._lattice]
        self._required = required
        self._streams: list[_Stream[T]] = [_Stream(self._independent(i)) for i in self._free]
        self._paths = _Lattice([(i, slots[i]) for i in self._lattice], required, margin) if self._lattice else None
        if self._paths is not None:
            self._streams.append(_Stream(self._paths.best_first()))

    @property
    def log_total(self) -> float:
        """Log of the sum over all assignments of exp(score)."""
        total = 0.0 if self._paths is None else self._paths.log_total
        for i in self._free:
            total += _log_sum([option.score for option in self._slots[i]] + ([] if self._required else [0.0]))
        return total

    def best_first(self) -> Iterator[tuple[tuple[T | None, ...], float]]:
        """Assignments by falling score."""
        start = (0,) * len(self._streams)
        if any(stream.get(0) is None for stream in self._streams):
            return
        queue: list[tuple[float, tuple[int, ...]]] = [(-self._score(start), start)]
        seen = {start}
        while queue:
            negative, picks = heappop(queue)
            yield self._assembled(picks), -negative
            for position in range(len(picks)):
                following = (*picks[:position], picks[position] + 1, *picks[position + 1 :])
                if following not in seen and self._streams[position].get(following[position]) is not None:
                    seen.add(following)
                    heappush(queue, (-self._score(following), following))

    def _independent(self, slot: int) -> Iterator[tuple[tuple[tuple[int, T], ...], float]]:
        ranked: list[tuple[tuple[tuple[int, T], ...], float]] = [(((slot, o),), o.score) for o in self._slots[slot]]
        if not self._required:
            ranked.append(((), 0.0))
        yield from sorted(ranked, key=lambda item: -item[1])

    def _score(self, picks: tuple[int, ...]) -> float:
        total = 0.0
        for stream, pick in zip(self._streams, picks, strict=True):
            item = stream.get(pick)
            assert item is not None, "only picks that are there are queued"
            total += item[1]
        return total

    def _assembled(self, picks: tuple[int, ...]) -> tuple[T | None, ...]:
        chosen: list[T | None] = [None] * len(self._slots)
        for stream, pick in zip(self._streams, picks, strict=True):
            item = stream.get(pick)
            assert item is not None
            for slot, option in item[0]:
                chosen[slot] = option
        return tuple(chosen)


class _Stream(Generic[T]):
    """Ranked parts of an assignment, made when asked for."""

    def __init__(self, source: Iterator[tuple[tuple[tuple[int, T], ...], float]]) -> None:
        self._source = source
        self._known: list[tuple[tuple[tuple[int, T], ...], float]] = []

    def get(self, index: int) -> tuple[tuple[tuple[int, T], ...], float] | None:
        while len(self._known) <= index:
            item = next(self._source, None)
            if item is None:
                return None
            self._known.append(item)
        return self._known[index]


State = tuple[int, int]
"""Position in the utterance, and the set of filled slots as bits."""
Move = tuple[int, int, float]
"""The bit of the slot that is filled (0: none), the position it leads to, what it adds to the score."""


class _Lattice(Generic[T]):
    """Paths through the utterance that place each slot at most once.

    Options without a span are placed at the start, in slot order.
    """

    def __init__(self, slots: Sequence[tuple[int, Sequence[T]]], required: bool, margin: float) -> None:
        self._numbers = [slot for slot, _ in slots]
        self._full = (1 << len(slots)) - 1 if required else None
        cuts = sorted({edge for _, options in slots for o in options if o.located for edge in _hull(o)})
        where = {cut: index for index, cut in enumerate(cuts)}
        # Positions: one for each slot (its unspanned options), then one for each cut.
        self._last = len(slots) + len(cuts) - 1
        self._edges: list[list[tuple[int, int, T]]] = [[] for _ in range(self._last + 1)]
        for bit, (_, options) in enumerate(slots):
            for option in options:
                if option.located:
                    start, end = _hull(option)
                    self._edges[len(slots) + where[start]].append((bit, len(slots) + where[end], option))
                else:
                    self._edges[bit].append((bit, bit + 1, option))
        self._moves: list[list[Move]] = [
            [*([(0, position + 1, 0.0)] if position < self._last else []), *((1 << bit, end, o.score) for bit, end, o in edges)]
            for position, edges in enumerate(self._edges)
        ]
        self._reached = self._forward(margin)
        self._best, self._totals = self._backward()

    @property
    def log_total(self) -> float:
        return self._totals[0].get(0, -inf)

    def _forward(self, margin: float) -> list[list[int]]:
        """Which sets of slots can be filled at each position; the best BEAM of them."""
        scores: list[dict[int, float]] = [{} for _ in range(self._last + 1)]
        scores[0][0] = 0.0
        for position, moves in enumerate(self._moves):
            least = max(scores[position].values(), default=0.0) - margin
            reached = (item for item in scores[position].items() if item[1] >= least)
            here = sorted(reached, key=lambda item: (-item[1], item[0]))[:BEAM]
            scores[position] = dict(here)
            for mask, score in here:
                for bit, target, gain in moves:
                    if not mask & bit:
                        used, total = mask | bit, score + gain
                        if total > scores[target].get(used, -inf):
                            scores[target][used] = total
        return [list(masks) for masks in scores]

    def _backward(self) -> tuple[list[dict[int, float]], list[dict[int, float]]]:
        """For each position and set of filled slots: the best score from there to the end, and the log of the sum of all."""
        best: list[dict[int, float]] = [{} for _ in range(self._last + 1)]
        totals: list[dict[int, float]] = [{} for _ in range(self._last + 1)]
        ends = [mask for mask in self._reached[-1] if self._full is None or mask == self._full]
        best[-1], totals[-1] = dict.fromkeys(ends, 0.0), dict.fromkeys(ends, 0.0)
        for position in range(self._last - 1, -1, -1):
            for mask in self._reached[position]:
                onward: list[float] = []
                top = -inf
                for bit, target, gain in self._moves[position]:
                    used = mask | bit
                    if not mask & bit and used in best[target]:
                        top = max(top, gain + best[target][used])
                        onward.append(gain + totals[target][used])
                if onward:
                    best[position][mask], totals[position][mask] = top, _log_sum(onward)
        return best, totals

    def best_first(self) -> Iterator[tuple[tuple[tuple[int, T], ...], float]]:
        """Paths by falling score; the bound is exact, so none is taken up in vain."""
        if 0 not in self._best[0]:
            return
        order = count()
        queue: list[tuple[float, int, State, float, tuple[tuple[int, T], ...]]] = [
            (-self._best[0][0], next(order), (0, 0), 0.0, ())
        ]
        while queue:
            _, _, (position, mask), done, placed = heappop(queue)
            if position == self._last:
                yield placed, done
                continue
            steps: list[tuple[State, float, tuple[tuple[int, T], ...]]] = [((position + 1, mask), done, placed)]
            for bit, target, option in self._edges[position]:
                if not mask >> bit & 1:
                    chosen = (*placed, (self._numbers[bit], option))
                    steps.append(((target, mask | 1 << bit), done + option.score, chosen))
            for (target, used), score, chosen in steps:
                if used in self._best[target]:
                    heappush(queue, (-(score + self._best[target][used]), next(order), (target, used), score, chosen))


def _hull(option: Option) -> tuple[int, int]:
    """From the first to the last code point that an option uses."""
    return min(span.start for span in option.located), max(span.end for span in option.located)


def _log_sum(values: Sequence[float]) -> float:
    top = max(values, default=-inf)
    return top + log(sum([exp(value - top) for value in values])) if top > -inf else top
