"""What a found number is, and how its left edge is read: signs, words of negation, letters before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

NumberKind = Literal["cardinal", "ordinal"]

_LETTER_BEFORE = re.compile(r"[a-z_\u00b5-\u024f\u0370-\u052f]")
_GLUING_UNITS = frozenset("hmsx")
_CURRENCY = frozenset("$€£¥￥")
_NEGATIONS = re.compile(r"(?<![a-z])(minus|negative) $")
_CJK_NEGATIONS = ("マイナス", "零下", "负的", "负", "負", "零下的", "氷点下")


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number as said: code points [start, end), with its sign, without unit, currency or percent sign."""

    start: int
    end: int
    value: int | float
    kind: NumberKind


def json_number(value: int | Decimal, sign: int, whole: bool = False) -> int | float | None:
    """The JSON number; None where a double would be infinite. ``whole``: an integral value becomes an int."""
    if isinstance(value, int):
        return value * sign
    number = float(value)
    if abs(number) == float("inf"):
        return None
    return int(value) * sign if whole and value == value.to_integral_value() else number * sign


def left_edge(folded: str, start: int) -> tuple[int, int, bool] | None:
    """Where the number begins with its sign, the sign, and whether a point precedes (.5); None: no number."""
    point = start > 0 and folded[start - 1] == "."
    edge = start - 1 if point else start
    before = folded[edge - 1] if edge else " "
    if point and (before.isalnum() or before == "."):
        return None
    if before in "-+":
        outer = folded[edge - 2] if edge > 1 else " "
        if outer.isascii() and (outer.isalnum() or outer in "-+_)]./"):
            return None if outer != ")" else (edge, 1, point)
        return edge - 1, -1 if before == "-" else 1, point
    if before in _CURRENCY and edge > 1 and folded[edge - 2] == "-":
        return edge - 2, -1, point
    if before == "^" and folded[edge - 2 : edge - 1].isalpha():
        return None  # metres per second^2
    if before in "/@\\" or (_LETTER_BEFORE.match(before) and not _glued_to_unit(folded, edge)):
        return None
    return (*words_of_negation(folded, edge), point)


def _glued_to_unit(folded: str, edge: int) -> bool:
    """The 30 of 1h30m: the letter before it is the unit of a number."""
    return (
        edge > 1
        and folded[edge - 1] in _GLUING_UNITS
        and folded[edge - 2].isdigit()
        and folded[edge - 2 : edge] != "0x"
    )


def words_of_negation(folded: str, edge: int) -> tuple[int, int]:
    window = folded[max(0, edge - 10) : edge]
    if match := _NEGATIONS.search(window):
        return edge - len(window) + match.start(), -1
    for word in _CJK_NEGATIONS:
        if window.endswith(word):
            return edge - len(word), -1
    return edge, 1
