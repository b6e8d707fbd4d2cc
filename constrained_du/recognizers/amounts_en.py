"""English lengths of time: "an hour and a half", "2 hours 30 minutes", as a pattern and as its reader."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from constrained_du.recognizers.calendar import Duration, make_duration
from constrained_du.recognizers.time_tokens import Token

_QUANTITY = "(?:(?:NUM|DEC)(?:AND A HALF)?|A? COUPLE OF?|HALF A?|A HALF?|(?:NUM QUARTERS|A? QUARTER) OF A?)"
ONE_AMOUNT = f"(?:{_QUANTITY} TO? (?:UNIT|SECOND|LETTERUNIT)(?:AND A HALF(?!UNIT))?)"
AMOUNT = f"(?:{ONE_AMOUNT}(?:(?:AND|COMMA)?{ONE_AMOUNT}){{0,4}})"
"""Token pattern of a whole length."""

_UNIT_OF = {"fortnight": ("week", 2), "decade": ("year", 10)}
_HALF = Fraction(1, 2)


def _classes(tokens: Sequence[Token], at: int, count: int) -> tuple[str, ...]:
    return tuple(token.cls for token in tokens[at : at + count])


def _quantity(tokens: Sequence[Token], at: int) -> tuple[Fraction, int]:
    """The amount at ``at`` and the index after it."""
    cls = tokens[at].cls
    if cls in ("NUM", "DEC"):
        value = Fraction(tokens[at].value)
        if _classes(tokens, at + 1, 1) == ("QUARTERS",):
            return value / 4, at + 2
        if _classes(tokens, at + 1, 3) == ("AND", "A", "HALF"):
            return value + _HALF, at + 4
        return value, at + 1
    if cls == "A" and _classes(tokens, at + 1, 1)[0] not in ("HALF", "QUARTER", "COUPLE"):
        return Fraction(1), at + 1
    at += cls == "A"
    return {"HALF": _HALF, "QUARTER": Fraction(1, 4), "COUPLE": Fraction(2)}[tokens[at].cls], at + 1


def read_amount(tokens: Sequence[Token]) -> Duration | None:
    """The length said by the tokens of an AMOUNT; None where it has no exact text."""
    amounts: list[tuple[Fraction, str]] = []
    at = 0
    while at < len(tokens):
        if tokens[at].cls in ("AND", "COMMA"):
            at += 1
        value, at = _quantity(tokens, at)
        while tokens[at].cls in ("OF", "A", "TO"):
            at += 1
        unit = "second" if tokens[at].cls == "SECOND" else str(tokens[at].value)
        name, times = _UNIT_OF.get(unit, (unit, 1))
        at += 1
        if _classes(tokens, at, 3) == ("AND", "A", "HALF"):
            value, at = value + _HALF, at + 3
        amounts.append((value * times, name))
    return make_duration(amounts)
