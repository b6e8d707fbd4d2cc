"""Ranges of code points, and finite automata over them.

Knows characters and nothing of patterns' notation, schemas or tokens.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MAX_CODE_POINT = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]
"""Sorted, disjoint, inclusive ranges of code points."""

ANY: Ranges = ((0, MAX_CODE_POINT),)
SURROGATES: Ranges = ((0xD800, 0xDFFF),)


class PatternError(ValueError):
    """A pattern that is malformed, outside the dialect, or too large; the text says which."""


def normalise(ranges: Iterable[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    gaps, position = [], 0
    for low, high in ranges:
        if low > position:
            gaps.append((position, low - 1))
        position = high + 1
    if position <= MAX_CODE_POINT:
        gaps.append((position, MAX_CODE_POINT))
    return tuple(gaps)


def meet(left: Ranges, right: Ranges) -> Ranges:
    """What both hold; linear in the two."""
    met, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low <= high:
            met.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return normalise(met)


Row = tuple[tuple[int, int, int], ...]
"""(low, high, next state): code points inclusive, disjoint, ascending."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic automaton: ``rows[state]`` says where each code point leads."""

    start: int
    accepting: tuple[bool, ...]
    rows: tuple[Row, ...]

    def accepts(self, text: str) -> bool:
        state = self.start
        for letter in text:
            code_point = ord(letter)
            for low, high, target in self.rows[state]:
                if low <= code_point <= high:
                    state = target
                    break
            else:
                return False
        return self.accepting[state]

    def trimmed(self) -> Automaton:
        """Without the states from which nothing can be accepted (the start stays)."""
        sources: dict[int, set[int]] = {}
        for state, row in enumerate(self.rows):
            for _, _, target in row:
                sources.setdefault(target, set()).add(state)
        alive, stack = set(), [s for s, final in enumerate(self.accepting) if final]
        while stack:
            state = stack.pop()
            if state not in alive:
                alive.add(state)
                stack.extend(sources.get(state, ()))
        kept = sorted(alive | {self.start})
        index = {state: number for number, state in enumerate(kept)}
        rows = tuple(
            _joined((low, high, index[to]) for low, high, to in self.rows[state] if to in alive) for state in kept
        )
        return Automaton(index[self.start], tuple(self.accepting[s] for s in kept), rows)

    @property
    def is_empty(self) -> bool:
        """Whether it accepts nothing; of a trimmed automaton."""
        return not any(self.accepting)

    def without(self, ranges: Ranges) -> Automaton:
        """The strings that hold none of these code points."""
        kept = complement(ranges)
        rows = tuple(
            tuple((a, b, to) for low, high, to in row for a, b in meet(((low, high),), kept)) for row in self.rows
        )
        return Automaton(self.start, self.accepting, rows).trimmed()

    def met(self, other: Automaton, limit: int) -> Automaton:
        """The strings that both accept. Raises PatternError beyond ``limit`` states."""
        index: dict[tuple[int, int], int] = {(self.start, other.start): 0}
        queue, rows, accepting = [(self.start, other.start)], [], []
        for left, right in queue:  # grows while it is walked
            accepting.append(self.accepting[left] and other.accepting[right])
            row = []
            for low, high, targets in _both(self.rows[left], other.rows[right]):
                if targets not in index:
                    index[targets] = len(queue)
                    queue.append(targets)
                row.append((low, high, index[targets]))
            rows.append(tuple(row))
            if len(queue) > limit:
                raise PatternError(f"patterns that together need more than {limit} states; write them simpler")
        return Automaton(0, tuple(accepting), tuple(rows)).trimmed()

    def bounded(self, least: int, most: int, limit: int) -> Automaton:
        """The strings of this automaton with ``least`` to ``most`` code points.

        Raises PatternError when the product would have more than ``limit`` states.
        """
        index: dict[tuple[int, int], int] = {(self.start, 0): 0}
        queue, rows, accepting = [(self.start, 0)], [], []
        for state, length in queue:  # grows while it is walked
            accepting.append(self.accepting[state] and length >= least)
            row = []
            for low, high, target in self.rows[state] if length < most else ():
                pair = (target, length + 1)
                if pair not in index:
                    index[pair] = len(queue)
                    queue.append(pair)
                row.append((low, high, index[pair]))
            rows.append(tuple(row))
            if len(queue) > limit:
                raise PatternError(f"pattern and length together need more than {limit} states; lower maxLength")
        return Automaton(0, tuple(accepting), tuple(rows)).trimmed()


def _both(left: Row, right: Row) -> Iterable[tuple[int, int, tuple[int, int]]]:
    for a, b, to in left:
        for c, d, other in right:
            if max(a, c) <= min(b, d):
                yield max(a, c), min(b, d), (to, other)


def _joined(row: Iterable[tuple[int, int, int]]) -> Row:
    joined: list[tuple[int, int, int]] = []
    for low, high, target in row:
        if joined and joined[-1][1] + 1 == low and joined[-1][2] == target:
            joined[-1] = (joined[-1][0], high, target)
        else:
            joined.append((low, high, target))
    return tuple(joined)
