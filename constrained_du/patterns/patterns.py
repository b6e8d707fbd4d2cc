"""Regular expressions as automata: reads ``pattern`` and answers membership in linear time.

Knows code points and nothing of schemas, JSON or tokens. The dialect is that of
``pattern_syntax``. A pattern without anchors means *contains*. No backtracking: a hostile
pattern costs at worst a refusal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

from constrained_du.errors import GrammarError
from constrained_du.patterns.automata import (
    ANY,
    MAX_CODE_POINT,
    SURROGATES,
    Automaton,
    PatternError,
    Ranges,
    complement,
    normalise,
)
from constrained_du.patterns.pattern_syntax import Alt, Anchor, Node, Parser, Repeat, Seq, Set

MAX_NFA_STATES = 20_000  # (a{100}){100} has 10,000; beyond, compile time is felt
MAX_PARTS = 200_000  # of a pattern with its repetitions written out, empty ones too
MAX_DFA_STATES = 2_000  # of a pattern that is written out whole; matching needs no limit
MAX_WORK = 2_000_000  # visits of states for one text or one automaton: some seconds


@dataclass(slots=True)
class _Nfa:
    """Thompson's construction; ``free`` edges may ask to be at the start or the end."""

    moves: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    free: list[list[tuple[str, int]]] = field(default_factory=list)
    parts: int = 0

    def state(self) -> int:
        if len(self.moves) >= MAX_NFA_STATES:
            raise PatternError(f"a pattern of more than {MAX_NFA_STATES} states; write it shorter")
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1

    def add(self, node: Node, start: int) -> int:
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise PatternError(f"a pattern of more than {MAX_PARTS} parts; write it shorter")
        match node:
            case Set(ranges):
                end = self.state()
                self.moves[start].append((ranges, end))
                return end
            case Anchor(at_start):
                end = self.state()
                self.free[start].append(("start" if at_start else "end", end))
                return end
            case Seq(parts):
                for part in parts:
                    start = self.add(part, start)
                return start
            case Alt(options):
                end = self.state()
                for option in options:
                    self.free[self.add(option, self.fork(start))].append(("", end))
                return end
            case Repeat():
                return self.repeat(node, start)

    def repeat(self, node: Repeat, start: int) -> int:
        for _ in range(node.least):
            start = self.add(node.node, start)
        end = self.state()
        if node.most is None:
            loop = self.fork(start)
            self.free[self.add(node.node, loop)].append(("", loop))
            self.free[loop].append(("", end))
            return end
        for _ in range(node.most - node.least):
            self.free[start].append(("", end))
            start = self.add(node.node, start)
        self.free[start].append(("", end))
        return end

    def fork(self, start: int) -> int:
        fresh = self.state()
        self.free[start].append(("", fresh))
        return fresh

    def closure(self, states: Iterable[int], allowed: frozenset[str]) -> frozenset[int]:
        """These states and all that free edges reach from them."""
        stack = list(states)
        seen = set(stack)
        while stack:
            for condition, target in self.free[stack.pop()]:
                if condition in allowed and target not in seen:
                    seen.add(target)
                    stack.append(target)
        return frozenset(seen)


_INSIDE = frozenset(("",))
_AT_START = _INSIDE | {"start"}
_AT_END = _INSIDE | {"end"}


class Pattern:
    """A compiled pattern. ``matches`` is linear in the text; ``automaton`` gives its DFA.

    The DFA is made as texts need it, under a lock, for patterns are shared by threads.
    State 0 is the start, which no text comes back to.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._nfa = _Nfa()
        begin = self._nfa.state()
        self._nfa.moves[begin].append((ANY, begin))  # unanchored: contains
        end = self._nfa.add(Parser(text).parse(), begin)
        self._nfa.moves[end].append((ANY, end))
        self._final = end
        self._cuts = sorted({0, *(cut for m in self._nfa.moves for r, _ in m for a, b in r for cut in (a, b + 1))})
        self._moves = [
            [(_blocks(ranges, self._cuts), target) for ranges, target in moves] for moves in self._nfa.moves
        ]
        self._first = self._nfa.closure({begin}, _AT_START)
        self._work = 0
        self._lock = Lock()
        self._forget()

    def matches(self, text: str) -> bool:
        return len(text) in self._accepted(text, 0, only_whole=True)

    def ends(self, text: str, start: int) -> list[int]:
        """Every end at which text[start:end] matches, in one pass."""
        return self._accepted(text, start, only_whole=False)

    def _accepted(self, text: str, start: int, only_whole: bool) -> list[int]:
        with self._lock:
            self._work = 0
            state, found = 0, []
            for index in range(start, len(text)):
                if not only_whole and self._accepting[state]:
                    found.append(index)
                state = self._step(state, text[index])
            if self._accepting[state]:
                found.append(len(text))
            return found

    def automaton(self) -> Automaton:
        """The whole DFA, over ranges of code points; dead states left out."""
        with self._lock:
            self._work = 0
            self._forget()
            try:
                return self._explored()
            except GrammarError:
                raise PatternError("a pattern that takes too long to work out; write it simpler") from None

    def _explored(self) -> Automaton:
        ends = [*self._cuts[1:], MAX_CODE_POINT + 1]
        blocks = [(low, end - 1) for low, end in zip(self._cuts, ends, strict=True) if low <= MAX_CODE_POINT]
        rows: list[tuple[tuple[int, int, int], ...]] = []
        while len(rows) < len(self._members):
            state = len(rows)
            rows.append(tuple((a, b, self._move(state, n)) for n, (a, b) in enumerate(blocks)))
            if len(self._members) > MAX_DFA_STATES:
                raise PatternError(f"a pattern that needs more than {MAX_DFA_STATES} states; write it simpler")
        return Automaton(0, tuple(self._accepting), tuple(rows)).trimmed()

    # -- states made as they are needed ----------------------------------------------------

    def _forget(self) -> None:
        self._sets: dict[frozenset[int], int] = {}
        self._members: list[frozenset[int]] = []
        self._accepting: list[bool] = []
        self._edges: list[dict[int, int]] = []
        self._make(self._first, _AT_START | _AT_END)

    def _make(self, members: frozenset[int], allowed: frozenset[str]) -> int:
        self._members.append(members)
        self._accepting.append(self._final in self._nfa.closure(members, allowed))
        self._edges.append({})
        return len(self._members) - 1

    def _step(self, state: int, letter: str) -> int:
        block = bisect_right(self._cuts, ord(letter)) - 1
        known = self._edges[state].get(block)
        if known is not None:
            return known
        if len(self._members) > 2 * MAX_DFA_STATES:  # only states that texts meet: start afresh
            members = self._members[state]
            at_start = state == 0
            self._forget()
            if not at_start:
                state = self._sets[members] = self._make(members, _AT_END)
        return self._move(state, block)

    def _move(self, state: int, block: int) -> int:
        members = self._members[state]
        self._work += len(members)
        if self._work > MAX_WORK:
            raise GrammarError(f"the pattern {self.text[:60]!r} is too expensive for this text - write it simpler")
        reached = {
            target for member in members for blocks, target in self._moves[member] if blocks >> block & 1
        }
        closed = self._nfa.closure(reached, _INSIDE)
        if closed not in self._sets:
            self._sets[closed] = self._make(closed, _AT_END)
        self._edges[state][block] = self._sets[closed]
        return self._sets[closed]


def _blocks(ranges: Ranges, cuts: Sequence[int]) -> int:
    """The ranges as a set of blocks, one bit for each: block ``n`` begins at ``cuts[n]``."""
    bits = 0
    for low, high in ranges:
        first, after = bisect_right(cuts, low) - 1, bisect_right(cuts, high)
        bits |= (1 << after) - (1 << first)
    return bits


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Pattern:
    """The pattern, read once."""
    return Pattern(pattern)


@lru_cache(maxsize=256)
def bounded_automaton(patterns: tuple[str, ...], least: int, most: int, limit: int) -> Automaton:
    """The texts of ``least`` to ``most`` code points that match all patterns.

    Raises PatternError when it would have more than ``limit`` states.
    """
    first, *others = [compiled(pattern).automaton() for pattern in patterns]
    for other in others:
        first = first.met(other, limit)
    return first.without(SURROGATES).bounded(least, most, limit)


__all__ = [
    "ANY", "MAX_CODE_POINT", "MAX_DFA_STATES", "MAX_NFA_STATES", "Automaton", "Pattern", "PatternError", "Ranges",
    "bounded_automaton", "compiled", "complement", "normalise",
]  # fmt: skip
