"""Finds many expressions in a short text: exactly, and with one slip of the finger.

Exact search looks up, at each place where a word may begin, only those lengths that some
expression with the same first characters has. Near search splits each expression in two
halves: with one edit, one half is intact, so candidates come from two dictionaries; halves
that very many expressions share are passed over. Works on folded texts only, and knows
expressions by number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from constrained_du.recognizers.folding import Folded, is_unspaced, is_wordlike

LEAST_LETTERS = 5
"""Shorter expressions are too near to other words: with one edit "rice" is "nice" and "ice"."""
_HEAD = 3
_CROWD = 64
"""Expressions that share a half, at most, to be compared one by one."""
_LONGEST_TEXT = 2_000
_MOST_WINDOWS = 20_000


@dataclass(frozen=True, slots=True)
class Hit:
    """An expression found at the folded text's ``[start, end)``."""

    start: int
    end: int
    expression: str
    exact: bool


@dataclass(frozen=True, slots=True)
class SurfaceIndex:
    """Built once from folded, distinct, non-empty expressions; never changed."""

    expressions: frozenset[str]
    lengths: Mapping[str, tuple[int, ...]]
    heads: Mapping[int, Mapping[str, Sequence[str]]]
    tails: Mapping[int, Mapping[str, Sequence[str]]]

    @classmethod
    def build(cls, expressions: Sequence[str]) -> SurfaceIndex:
        lengths: dict[str, set[int]] = {}
        heads: dict[int, dict[str, list[str]]] = {}
        tails: dict[int, dict[str, list[str]]] = {}
        for expression in expressions:
            size = len(expression)
            lengths.setdefault(expression[:_HEAD], set()).add(size)
            if _has_letters(expression):
                heads.setdefault(size, {}).setdefault(expression[: size // 2], []).append(expression)
                tails.setdefault(size, {}).setdefault(expression[size // 2 :], []).append(expression)
        return cls(
            frozenset(expressions),
            {head: tuple(sorted(sizes)) for head, sizes in lengths.items()},
            {size: _uncrowded(halves) for size, halves in heads.items()},
            {size: _uncrowded(halves) for size, halves in tails.items()},
        )

    def exact(self, folded: Folded) -> Iterator[Hit]:
        """Every whole-word occurrence of every expression, nested and overlapping ones too."""
        text, size = folded.text, len(folded.text)
        for start in range(size):
            if not folded.may_start[start]:
                continue
            for width in range(1, _HEAD + 1):
                for length in self.lengths.get(text[start : start + width], ()):
                    end = start + length
                    # A head shorter than _HEAD is a whole expression, found at its own width only.
                    if end > size or not folded.may_end[end] or (width < _HEAD and length != width):
                        continue
                    if text[start:end] in self.expressions:
                        yield Hit(start, end, text[start:end], exact=True)

    def near(self, folded: Folded) -> Iterator[Hit]:
        """Occurrences with exactly one edit; none in a text longer than 2,000 characters."""
        if not self.heads or len(folded.text) > _LONGEST_TEXT:
            return
        for start, end in self._windows(folded):
            window = folded.text[start:end]
            if window not in self.expressions:
                for expression in self._near_expressions(window):
                    yield Hit(start, end, expression, exact=False)

    def _windows(self, folded: Folded) -> Iterator[tuple[int, int]]:
        text = folded.text
        ends = [end for end in range(1, len(text) + 1) if folded.may_end[end] and is_wordlike(text[end - 1])]
        least, most = min(self.heads) - 1, max(self.heads) + 1
        left = _MOST_WINDOWS
        first = 0
        for start in range(len(text)):
            if not folded.may_start[start] or not is_wordlike(text[start]):
                continue
            while first < len(ends) and ends[first] < start + least:
                first += 1
            for index in range(first, len(ends)):
                if ends[index] > start + most or left == 0:
                    break
                left -= 1
                yield start, ends[index]

    def _near_expressions(self, window: str) -> list[str]:
        alike: list[str] = []
        width = len(window)
        for size in (width - 1, width, width + 1):
            by_head = self.heads.get(size)
            if by_head is not None:
                half = size // 2
                alike += by_head.get(window[:half], ())
                alike += self.tails[size].get(window[width - size + half :], ())
        found = dict.fromkeys(expression for expression in alike if is_one_edit(window, expression)) if alike else {}
        if width in self.heads:
            half = width // 2
            swapped = window[: half - 1] + window[half] + window[half - 1] + window[half + 1 :]
            if swapped in self.expressions and _has_letters(swapped) and is_one_edit(window, swapped):
                found[swapped] = None
        return list(found)


def is_one_edit(said: str, meant: str) -> bool:
    """Whether one letter was left out, added, replaced, or swapped with its neighbour.

    An edit of a digit is none: "room 12" is not "room 13". In scripts without blanks the
    first and last characters must be right, since there every piece of text is a candidate.
    """
    if abs(len(said) - len(meant)) > 1:
        return False
    head = _common_prefix(said, meant)
    tail = min(_common_prefix(said[::-1], meant[::-1]), min(len(said), len(meant)) - head)
    left, right = said[head : len(said) - tail], meant[head : len(meant) - tail]
    if any(character.isdigit() for character in left + right):
        return False
    if (is_unspaced(meant[0]) or is_unspaced(meant[-1])) and (head == 0 or tail == 0):
        return False
    if len(left) <= 1 and len(right) <= 1:
        return left != right
    return len(left) == len(right) == 2 and left == right[::-1]


def _uncrowded(halves: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {half: found for half, found in halves.items() if len(found) <= _CROWD}


def _has_letters(expression: str) -> bool:
    return len(expression) >= LEAST_LETTERS and sum(map(str.isalpha, expression)) >= LEAST_LETTERS


def _common_prefix(one: str, other: str) -> int:
    size = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        size += 1
    return size
