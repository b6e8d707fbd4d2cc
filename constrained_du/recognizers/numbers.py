"""Finds the numbers said in an utterance: digits of any script, English words, Chinese and Japanese numerals.

Only whole numbers come out. What may be a piece of something else (a clock time, a date,
a version, a phone number, a word) gives nothing. Knows nothing of slots and bounds.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from constrained_du.recognizers.number_edges import FoundNumber, NumberKind
from constrained_du.recognizers.numbers_cjk import KANA, from_cjk
from constrained_du.recognizers.numbers_digits import from_digits
from constrained_du.recognizers.numbers_words import from_words
from constrained_du.recognizers.numerals import NUMBER_WORDS, NUMERAL_CHARACTERS, ORDINAL_WORDS
from constrained_du.recognizers.spelling import even_out

__all__ = ["FoundNumber", "NumberKind", "find_numbers"]

_WORD = "|".join(sorted(NUMBER_WORDS | ORDINAL_WORDS | {"a", "an", "and", "half"}, key=len, reverse=True))
_LEAD = "|".join(sorted(NUMBER_WORDS | ORDINAL_WORDS | {"half"}, key=len, reverse=True))
_MORE = "|".join([_WORD, "point", "quarters?"])
_SCAN = re.compile(
    rf"(?P<cjk>(?:[0-9]+(?:\.[0-9]+)?)?[{NUMERAL_CHARACTERS}](?:[0-9]+(?:\.[0-9]+)?|[{NUMERAL_CHARACTERS}])*)"
    r"|(?P<digits>[0-9]+(?:[.,:/'-][0-9]+)*)"
    rf"|(?P<kana>(?<!もう)(?:{'|'.join(KANA)}))"
    rf"|(?P<words>(?<![a-z0-9_'])(?:an?[ -])?(?:{_LEAD})(?:[ -]{{1,3}}(?:{_MORE}))*(?![a-z0-9_]))"
)
_JAPANESE = re.compile("[\u3041-\u30ff円歳曜匹冊階]")
_PHONE = re.compile(
    r"\+[0-9]{1,3}(?:[ -]?\(?[0-9]{1,5}\)?){2,6}|(?<![0-9])\(?[0-9]{3}\)?[ -][0-9]{3}[ -][0-9]{4}(?![0-9])"
)
_HALF_BEHIND = re.compile(
    r"[个個]半|(?:時間|小时|小時|年|倍|天)半(?![額额价])"
    r"| (?:hours?|minutes?|days?|weeks?|months?|years?|miles?|cups?|pounds?|degrees?|percent) and a half(?![a-z])"
)
_HALF_UNIT = re.compile(
    r"(?<![a-z0-9_])(half) (?:of )?an? (?:hour|mile|minute|kilo|kilometer|kilometre|liter|litre|gallon|pound|"
    r"inch|cup|teaspoon|tablespoon|day|year|percent|degree)(?![a-z])"
    r"|(?<![一-鿿0-9])(半)(?=个?小时|個?小時|時間|个钟头|天|年|个月|公里|公斤|斤|杯)"
)


@lru_cache(maxsize=16)  # a request asks for the numbers of its utterance more than once
def find_numbers(text: str) -> tuple[FoundNumber, ...]:
    """All numbers of ``text``, left to right, without overlaps; time linear in the length, never raises."""
    folded = even_out(text)
    blocked = _phone_spans(folded)
    japanese = bool(_JAPANESE.search(folded))
    found: list[FoundNumber] = []
    at = 0
    while (match := _SCAN.search(folded, at)) is not None:
        start, at = match.span()
        if (block := _block_at(blocked, start)) is not None:
            at = max(block, start + 1)
        elif match["digits"] is not None:
            numbers, at = from_digits(folded, match.start(), match.end())
            found += numbers
        elif match["cjk"] is not None:
            numbers, at = from_cjk(folded, match.start(), match.end(), japanese)
            found += numbers
        elif match["kana"] is not None:
            found.append(FoundNumber(match.start(), match.end(), KANA[match[0]], "cardinal"))
        else:
            found += from_words(folded, match.start(), match.end())
    return _with_halves(folded, _lengthened(folded, found))


def _lengthened(folded: str, found: list[FoundNumber]) -> list[FoundNumber]:
    """The half said behind the unit belongs to the number: 2時間半, 两个半, three miles and a half."""
    if "半" not in folded and " and a half" not in folded:
        return found
    return [_with_half(folded, number) for number in found]


def _with_half(folded: str, number: FoundNumber) -> FoundNumber:
    half = _HALF_BEHIND.match(folded, number.end)
    if half is None or number.kind == "ordinal" or isinstance(number.value, float) or abs(number.value) > 10**9:
        return number
    return FoundNumber(number.start, half.end(), number.value + 0.5, "cardinal")


def _with_halves(folded: str, found: list[FoundNumber]) -> tuple[FoundNumber, ...]:
    """Adds "half an hour" and 半小时, where a unit makes sure that half is meant as 0.5."""
    halves: list[FoundNumber] = []
    if "half" in folded or "半" in folded:
        for match in _HALF_UNIT.finditer(folded):
            start, end = match.span(1) if match[1] else match.span(2)
            if not _overlaps(found, start, end) and not folded.endswith("and a ", 0, start):
                halves.append(FoundNumber(start, end, 0.5, "cardinal"))
    return tuple(sorted(found + halves, key=lambda number: number.start))


def _overlaps(found: list[FoundNumber], start: int, end: int) -> bool:
    """Whether one of the numbers, which are in order, covers a part of [start, end)."""
    at = bisect_left(found, end, key=lambda number: number.start)
    return at > 0 and found[at - 1].end > start


def _phone_spans(folded: str) -> list[tuple[int, int]]:
    if "+" not in folded and "-" not in folded and " " not in folded:
        return []
    return [match.span() for match in _PHONE.finditer(folded) if sum(c.isdigit() for c in match[0]) >= 7]


def _block_at(blocked: list[tuple[int, int]], start: int) -> int | None:
    while blocked and blocked[0][1] <= start:
        blocked.pop(0)
    return blocked[0][1] if blocked and blocked[0][0] <= start else None
