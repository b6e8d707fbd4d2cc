"""Regular expressions as automata: reads ``pattern`` and answers membership in linear time.

Knows code points and nothing of schemas, JSON or tokens. The dialect is the common core of
ECMA 262 that function specs use: literals, ``.``, classes, ``\\d \\w \\s`` (ASCII, as ECMA has
them) and their negations, groups, alternation, greedy or lazy quantifiers, ``^`` and ``$``.
A pattern without anchors means *contains*. Look-around, back references, ``\\b`` and
``\\p`` are refused. No backtracking: a hostile pattern costs at worst a refusal.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass, field

MAX_CODE_POINT = 0x10FFFF
MAX_NFA_STATES = 20_000  # (a{100}){100} has 10,000; beyond, compile time is felt
MAX_DFA_STATES = 2_000
MAX_NESTING = 100  # the parser is recursive; Python's own limit is near 1000 frames

Ranges = tuple[tuple[int, int], ...]
"""Sorted, disjoint, inclusive ranges of code points."""

ANY: Ranges = ((0, MAX_CODE_POINT),)
_LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


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


_DIGIT = normalise([(0x30, 0x39)])
_WORD = normalise([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_SPACE = normalise(
    [(0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)]
    + [(0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)]
)
_CLASSES: dict[str, Ranges] = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CLASSES |= {name.upper(): complement(ranges) for name, ranges in list(_CLASSES.items())}
_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "0": 0x00}


# ---- the syntax tree ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Set:
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class _Anchor:
    at_start: bool


@dataclass(frozen=True, slots=True)
class _Seq:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Alt:
    options: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    node: _Node
    least: int
    most: int | None


_Node = _Set | _Anchor | _Seq | _Alt | _Repeat


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.depth = 0

    def parse(self) -> _Node:
        node = self.alternation()
        if self.at < len(self.text):
            raise self.error("a ) that closes nothing")
        return node

    def error(self, problem: str) -> PatternError:
        return PatternError(f"{problem} at character {self.at} of the pattern")

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def alternation(self) -> _Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"groups nested deeper than {MAX_NESTING}")
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else _Alt(tuple(options))

    def sequence(self) -> _Node:
        parts: list[_Node] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.quantified())
        return parts[0] if len(parts) == 1 else _Seq(tuple(parts))

    def quantified(self) -> _Node:
        node = self.atom()
        while (bounds := self.quantifier()) is not None:
            if isinstance(node, _Anchor):
                raise self.error("a repeated anchor")
            node = _Repeat(node, *bounds)
            self.take("?")  # laziness changes what is captured, not what matches
        return node

    def quantifier(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(sign):
                return bounds
        if self.peek() != "{":
            return None
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at + 1 : end].partition(",") if end > 0 else ("", "", "")
        if not least.isdecimal() or (most and not most.isdecimal()) or len(least) > 6 or len(most) > 6:
            raise self.error("a { that begins no repetition (write \\{)")
        self.at = end + 1
        low, high = int(least), int(most) if most else (None if comma else int(least))
        if high is not None and high < low:
            raise self.error(f"a repetition from {low} to {high}")
        return low, high

    def atom(self) -> _Node:
        if self.take("^"):
            return _Anchor(at_start=True)
        if self.take("$"):
            return _Anchor(at_start=False)
        if self.take("."):
            return _Set(complement(_LINE_ENDS))
        if self.take("("):
            return self.group()
        if self.take("["):
            return _Set(self.character_class())
        if self.take("\\"):
            return _Set(self.escape())
        if self.peek() in "*+?{":
            raise self.error(f"a {self.peek()} that repeats nothing")
        self.at += 1
        return _Set(_single(ord(self.text[self.at - 1])))

    def group(self) -> _Node:
        if self.take("?") and not self.take(":"):
            if not self.take("<") or self.peek() in "=!":
                raise self.error("look-around or a flag, which is not supported")
            self.at = self.text.find(">", self.at) + 1 or len(self.text)
        node = self.alternation()
        if not self.take(")"):
            raise self.error("a ( that is not closed")
        return node

    def character_class(self) -> Ranges:
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.at >= len(self.text):
                raise self.error("a [ that is not closed")
            low = self.class_item()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.class_item()
                if len(low) != 1 or len(high) != 1 or low[0][0] > high[0][1]:
                    raise self.error("a range that is none")
                low = ((low[0][0], high[0][1]),)
            ranges.extend(low)
        found = normalise(ranges)
        return complement(found) if negated else found

    def class_item(self) -> Ranges:
        if self.take("\\"):
            if self.take("b"):
                return _single(0x08)
            return self.escape()
        self.at += 1
        return _single(ord(self.text[self.at - 1]))

    def escape(self) -> Ranges:
        letter = self.peek()
        self.at += 1
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _CONTROLS:
            return _single(_CONTROLS[letter])
        if letter in "xu" and letter:
            return _single(self.hexadecimal(2 if letter == "x" else 4))
        if not letter or letter in string.ascii_letters + string.digits:
            raise self.error(f"\\{letter}, which is not supported")
        return _single(ord(letter))

    def hexadecimal(self, digits: int) -> int:
        if digits == 4 and self.take("{"):
            end = self.text.find("}", self.at)
            text, self.at = self.text[self.at : end], end + 1
        else:
            text, self.at = self.text[self.at : self.at + digits], self.at + digits
        if not text or len(text) > 6 or any(c not in string.hexdigits for c in text):
            raise self.error("an escape without its hexadecimal digits")
        return min(int(text, 16), MAX_CODE_POINT)


def _single(code_point: int) -> Ranges:
    return ((code_point, code_point),)


# ---- the automata -----------------------------------------------------------------------


@dataclass(slots=True)
class _Nfa:
    """Thompson's construction; ``free`` edges may ask to be at the start or the end."""

    moves: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    free: list[list[tuple[str, int]]] = field(default_factory=list)

    def state(self) -> int:
        if len(self.moves) >= MAX_NFA_STATES:
            raise PatternError(f"a pattern of more than {MAX_NFA_STATES} states; write it shorter")
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1

    def add(self, node: _Node, start: int) -> int:
        match node:
            case _Set(ranges):
                end = self.state()
                self.moves[start].append((ranges, end))
                return end
            case _Anchor(at_start):
                end = self.state()
                self.free[start].append(("start" if at_start else "end", end))
                return end
            case _Seq(parts):
                for part in parts:
                    start = self.add(part, start)
                return start
            case _Alt(options):
                end = self.state()
                for option in options:
                    self.free[self.add(option, self.fork(start))].append(("", end))
                return end
            case _Repeat():
                return self.repeat(node, start)

    def repeat(self, node: _Repeat, start: int) -> int:
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


class Pattern:
    """A compiled pattern. ``matches`` is linear in the text; ``automaton`` gives its DFA."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._nfa = _Nfa()
        begin = self._nfa.state()
        self._nfa.moves[begin].append((ANY, begin))  # unanchored: contains
        end = self._nfa.add(_Parser(text).parse(), begin)
        self._nfa.moves[end].append((ANY, end))
        self._final = end
        self._sets: dict[frozenset[int], int] = {}
        self._members: list[frozenset[int]] = []
        self._accepting: list[bool] = []
        self._edges: list[dict[int, int]] = []
        self._start = self._intern(self._closure({begin}, at_start=True))

    def matches(self, text: str) -> bool:
        state = self._start
        for character in text:
            state = self._step(state, ord(character))
        return self._accepting[state]

    def ends(self, text: str, start: int) -> list[int]:
        """Every end at which text[start:end] matches, in one pass."""
        state, found = self._start, []
        for index in range(start, len(text)):
            if self._accepting[state]:
                found.append(index)
            state = self._step(state, ord(text[index]))
        if self._accepting[state]:
            found.append(len(text))
        return found

    def automaton(self) -> Automaton:
        """The whole DFA, over ranges of code points; dead states left out."""
        cuts = sorted(
            {low for moves in self._nfa.moves for ranges, _ in moves for low, _ in ranges}
            | {high + 1 for moves in self._nfa.moves for ranges, _ in moves for _, high in ranges}
            | {0}
        )
        blocks = [(low, high - 1) for low, high in zip(cuts, cuts[1:], strict=False)]
        rows: dict[int, list[tuple[int, int, int]]] = {}
        queue = [self._start]
        while queue:
            state = queue.pop()
            if state in rows:
                continue
            rows[state] = [(low, high, self._step(state, low)) for low, high in blocks]
            queue.extend(target for _, _, target in rows[state])
        order = sorted(rows)
        index = {state: number for number, state in enumerate(order)}
        return Automaton(
            index[self._start],
            tuple(self._accepting[state] for state in order),
            tuple(tuple((low, high, index[to]) for low, high, to in rows[state]) for state in order),
        ).trimmed()

    def _closure(self, states: set[int], at_start: bool = False, at_end: bool = False) -> frozenset[int]:
        allowed = {""} | ({"start"} if at_start else set()) | ({"end"} if at_end else set())
        stack, seen = list(states), set(states)
        while stack:
            for condition, target in self._nfa.free[stack.pop()]:
                if condition in allowed and target not in seen:
                    seen.add(target)
                    stack.append(target)
        return frozenset(seen)

    def _intern(self, members: frozenset[int]) -> int:
        if members in self._sets:
            return self._sets[members]
        if len(self._members) >= MAX_DFA_STATES:
            raise PatternError(f"a pattern that needs more than {MAX_DFA_STATES} states; write it simpler")
        number = self._sets[members] = len(self._members)
        self._members.append(members)
        at_start = number == 0
        self._accepting.append(self._final in self._closure(set(members), at_start=at_start, at_end=True))
        self._edges.append({})
        return number

    def _step(self, state: int, code_point: int) -> int:
        edges = self._edges[state]
        if code_point not in edges:
            reached = {
                target
                for member in self._members[state]
                for ranges, target in self._nfa.moves[member]
                if any(low <= code_point <= high for low, high in ranges)
            }
            edges[code_point] = self._intern(self._closure(reached))
        return edges[code_point]


@dataclass(frozen=True, slots=True)
class Automaton:
    """A DFA: ``rows[state]`` holds (low, high, next state), code points inclusive."""

    start: int
    accepting: tuple[bool, ...]
    rows: tuple[tuple[tuple[int, int, int], ...], ...]

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
        return not any(self.accepting)

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


def _joined(row: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    joined: list[tuple[int, int, int]] = []
    for low, high, target in row:
        if joined and joined[-1][1] + 1 == low and joined[-1][2] == target:
            joined[-1] = (joined[-1][0], high, target)
        else:
            joined.append((low, high, target))
    return tuple(joined)
