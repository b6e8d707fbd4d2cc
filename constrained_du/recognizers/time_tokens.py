"""Cuts an utterance into tokens of time: numbers, written dates and clocks, words of three languages.

Knows which classes tokens have, not what their sequences mean. Linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from constrained_du.recognizers.lexicon_cjk import LEXICON as CJK
from constrained_du.recognizers.lexicon_cjk import LONGEST
from constrained_du.recognizers.lexicon_en import HOLIDAYS
from constrained_du.recognizers.lexicon_en import LEXICON as ENGLISH
from constrained_du.recognizers.numerals import (
    NUMBER_WORDS,
    NUMERAL_CHARACTERS,
    ORDINAL_WORDS,
    read_cjk,
    read_english,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its class, its worth, and the code points [start, end) it covers."""

    cls: str
    value: Any
    start: int
    end: int
    text: str
    glued: bool
    """No blank before it."""

    @property
    def digits(self) -> bool:
        return self.text[:1].isdigit()


_QUIET = frozenset(
    (
        "FUNC AT ON IN FOR FROM AND OR TO OF COMMA THE REL TONIGHT WEEKDAY SHORTDAY NEXT THIS PART "
        "EVERY NOW AFTER BEFORE UNTIL MONTH NUM HM COMING LAST ZONE A WEEKDAYS DAILY AMPM SHARP "
        "HOLIDAY WEEKEND DATE MD WORKDAYS"
    ).split()
)


def is_quiet(token: Token | None) -> bool:
    """Whether ``token`` may follow a bare number that is a time; an unknown word makes it a count."""
    return token is None or token.cls in _QUIET


_NUMBER_WORD = "|".join(sorted(NUMBER_WORDS | ORDINAL_WORDS, key=len, reverse=True))
_ISO = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:"
    r"t[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:z(?![a-z])|[+-][0-9]{2}:?[0-9]{2})?"
    r"| [0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:z(?![a-z])| ?\+[0-9]{2}:?[0-9]{2})?)(?![0-9:])"
)
_TOKEN = re.compile(
    rf"(?P<iso>(?<![0-9-]){_ISO})"
    r"|(?P<hclock>(?<![a-z0-9.,:])[0-9]{1,2}h[0-9]{2}(?![a-z0-9]))"
    rf"|(?P<cjknum>(?:[0-9]+(?:\.[0-9]+)?)?(?:(?<![0-9])[{NUMERAL_CHARACTERS}]|(?<=[0-9])[百千万萬億亿])"
    rf"[{NUMERAL_CHARACTERS}]*)"
    r"|(?P<shape>[0-9]+(?:[-/.:,][0-9]+)*)"
    r"|(?P<ampm>(?<![a-z])[ap](?:\. ?m\.?|m)(?![a-z0-9]))"
    r"|(?P<oclock>o ?['\"]? ?clock(?![a-z]))"
    rf"|(?P<holiday>(?<![a-z])(?:{'|'.join(HOLIDAYS)})(?![a-z]))"
    rf"|(?P<numword>(?<![a-z0-9_'])(?:{_NUMBER_WORD})(?:[ -](?:{_NUMBER_WORD}|and|point)){{0,15}}"
    r"(?![a-z0-9_]))"
    r"|(?P<word>[a-z_\u00df-\u024f]+(?:'[a-z]+)?)"
    r"|(?P<blank>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_SUFFIX = re.compile(r"(?:st|nd|rd|th)(?![a-z0-9])")
_REST_OF_WORD = re.compile(r"[a-z0-9_]*")
_NEGATIVE = re.compile(r"(?:^|[\s(\[=:,])-$")


def tokenize(folded: str) -> list[Token]:
    """The tokens of a folded text, left to right, without its blanks."""
    tokens: list[Token] = []
    at = 0
    glued = False
    while at < len(folded):
        word = _cjk_word(folded, at)
        if word:
            for cls, value, length in CJK[word]:
                tokens.append(Token(cls, value, at, at + length, folded[at : at + length], glued))
                at, glued = at + length, True
            continue
        match = _TOKEN.match(folded, at)
        assert match is not None
        if match["blank"] is not None:
            at, glued = match.end(), False
            continue
        found = _READERS[match.lastgroup or "other"](folded, match, tokens)
        tokens += [Token(c, v, s, e, folded[s:e], (glued and s == at) or s > at) for c, v, s, e in found]
        at, glued = max(found[-1][3], at + 1), True
    return tokens


Found = list[tuple[str, Any, int, int]]


def _cjk_word(folded: str, at: int) -> str:
    if folded[at] < "\u2e80":
        return ""
    for length in range(LONGEST, 0, -1):
        if folded[at : at + length] in CJK:
            return folded[at : at + length]
    return ""


def _read_iso(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    return [("ISO", match[0], match.start(), match.end())]


def _read_hclock(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    hour, minute = match[0].split("h")
    return [("HCLOCK", (int(hour), int(minute)), match.start(), match.end())]


def _read_cjknum(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    value = read_cjk(match[0], japanese=True)
    if isinstance(value, int):
        return [("NUM", value, match.start(), match.end())]
    return [("JUNK", None, match.start(), match.end())]


def _read_shape(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    start, end = match.span()
    shape = match[0]
    if _NEGATIVE.search(folded, max(0, start - 2), start) or folded[max(0, start - 1) : start] in (
        "$",
        "€",
        "£",
        "#",
    ):
        return [("JUNK", None, start, end)]
    if suffix := _SUFFIX.match(folded, end):
        return [("ORD" if shape.isdigit() and len(shape) < 4 else "JUNK", _int(shape), start, suffix.end())]
    whole = _classify(shape)
    if whole is not None:
        return [(*whole, start, end)]
    first, dash, last = shape.partition("-")
    left, right = _classify(first), _classify(last) if dash else None
    if left is None or right is None:
        return [("JUNK", None, start, end)]
    middle = start + len(first)
    return [(*left, start, middle), ("TO", "-", middle, middle + 1), (*right, middle + 1, end)]


def _int(shape: str) -> int | None:
    return int(shape) if shape.isdigit() and len(shape) < 10 else None


_YMD = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})")
_XY_YEAR = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_MD = re.compile(r"([0-9]{1,2})/([0-9]{1,2})")
_HM = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")


def _classify(shape: str) -> tuple[str, Any] | None:
    """The class and worth of digits joined by signs; None if they are nothing known."""
    if shape.isdigit():
        return ("NUM", int(shape)) if len(shape) < 10 else None
    if match := _YMD.fullmatch(shape):
        return "DATE", _date(int(match[1]), int(match[3]), int(match[4]))
    if match := _XY_YEAR.fullmatch(shape):
        if len(match[4]) == 2 and match[2] != "/":
            return None
        year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
        first, second = int(match[1]), int(match[3])
        day_first = match[2] == "." or first > 12
        return "DATE", _date(year, second, first) if day_first else _date(year, first, second)
    if match := _MD.fullmatch(shape):
        first, second = int(match[1]), int(match[2])
        return "MD", (second, first) if first > 12 else (first, second)
    if match := _HM.fullmatch(shape):
        return "HM", (int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    if re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9}", shape):
        return "DEC", Fraction(shape)
    if re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3}){1,2}", shape):
        return "NUM", int(shape.replace(",", ""))
    return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _read_words(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    """The first number of a run of number words; what follows it is read as new tokens."""
    places = [(match.start() + m.start(), match.start() + m.end()) for m in re.finditer("[a-z]+", match[0])]
    words = [folded[a:b] for a, b in places]
    reading = read_english(words, 0)
    if reading is None or words == ["second"] or (words[0] == "second" and reading.end == 1):
        return [("SECOND", 2, *places[0])] if words[0] == "second" else [("JUNK", None, *places[0])]
    end = reading.end
    after_day = bool(tokens) and tokens[-1].cls in ("MONTH", "THE")
    if words[end - 1] == "second" and end > 1 and not after_day and folded[places[end - 1][0] - 1] != "-":
        return [("NUM", int(reading.value) - 2, places[0][0], places[end - 2][1])]
    span = (places[0][0], places[end - 1][1])
    if isinstance(reading.value, Decimal):
        return [("DEC", Fraction(reading.value), *span)]
    return [("ORD" if reading.ordinal else "NUM", reading.value, *span)]


_ABBREVIATED = frozenset(("MONTH", "WEEKDAY", "SHORTDAY"))
_ABBREVIATION = re.compile(r"\.(?=,? ?(?:the )?[0-9])")
"""The point of "Sept. 12"; one that ends a sentence is left alone."""


def _read_word(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    start, end = match.span()
    word = match[0]
    after_digit = start > 0 and folded[start - 1].isdigit()
    rest = _REST_OF_WORD.match(folded, end)
    if rest and rest[0] and not (after_digit and word in ("h", "m")):
        return [("OTHER", None, start, rest.end())]
    if word in ENGLISH:
        dotted = ENGLISH[word][0] in _ABBREVIATED and _ABBREVIATION.match(folded, end) is not None
        return [(*ENGLISH[word], start, end + dotted)]
    if word.endswith("'s") and word[:-2] in ENGLISH:
        cls, value = ENGLISH[word[:-2]]
        return [(cls, value, start, end - 2), ("OTHER", None, end - 2, end)]
    if after_digit and word in ("m", "s"):
        return [("LETTERUNIT", {"m": "minute", "s": "second"}[word], start, end)]
    return [("OTHER", word, start, end)]


def _read_other(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    return [(*ENGLISH.get(match[0], ("OTHER", None)), match.start(), match.end())]


def _read_ampm(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    return [("AMPM", ENGLISH["am" if match[0][0] == "a" else "pm"][1], match.start(), match.end())]


def _read_oclock(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    return [("OCLOCK", None, match.start(), match.end())]


def _read_holiday(folded: str, match: re.Match[str], tokens: list[Token]) -> Found:
    return [("HOLIDAY", HOLIDAYS[match[0]], match.start(), match.end())]


_READERS = {
    "iso": _read_iso, "hclock": _read_hclock, "cjknum": _read_cjknum, "shape": _read_shape,
    "ampm": _read_ampm,
    "oclock": _read_oclock, "holiday": _read_holiday, "numword": _read_words, "word": _read_word,
    "other": _read_other,
}  # fmt: skip
