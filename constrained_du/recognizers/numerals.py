"""What number words are worth: English words, Chinese and Japanese numerals.

Values only; where a number begins in an utterance, and whether it is one at all, is
decided by the callers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

MOST_DIGITS = 4000
"""CPython refuses more than 4300 digits in ``int`` and ``str``; the rest is room for "million" behind them."""

_UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_ORDINALS_UNDER_TWENTY = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

SMALL: dict[str, int] = {word: value for value, word in enumerate(_UNDER_TWENTY)} | {"nought": 0}
TENS: dict[str, int] = {word: 10 * value for value, word in enumerate(_TENS_WORDS, start=2)} | {"fourty": 40}
SCALES: dict[str, int] = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
MULTIPLES: dict[str, int] = {"hundred": 100, "dozen": 12} | SCALES
ORDINAL_SMALL: dict[str, int] = {word: value for value, word in enumerate(_ORDINALS_UNDER_TWENTY) if value}
ORDINAL_TENS: dict[str, int] = {word[:-1] + "ieth": value for word, value in TENS.items()}
ORDINAL_MULTIPLES: dict[str, int] = {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}

NUMBER_WORDS: frozenset[str] = frozenset(SMALL) | frozenset(TENS) | frozenset(MULTIPLES)
ORDINAL_WORDS: frozenset[str] = (
    frozenset(ORDINAL_SMALL) | frozenset(ORDINAL_TENS) | frozenset(ORDINAL_MULTIPLES)
)


class Reading(NamedTuple):
    """A number read from words: its value, whether it is an ordinal, and the index after its last word."""

    value: int | Decimal
    ordinal: bool
    end: int


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _read_small(words: Sequence[str], at: int) -> Reading | None:
    """0 to 99, cardinal or ordinal."""
    word = _word(words, at)
    if word in SMALL:
        return Reading(SMALL[word], False, at + 1)
    if word in ORDINAL_SMALL:
        return Reading(ORDINAL_SMALL[word], True, at + 1)
    if word in ORDINAL_TENS:
        return Reading(ORDINAL_TENS[word], True, at + 1)
    if word in ORDINAL_MULTIPLES:
        return Reading(ORDINAL_MULTIPLES[word], True, at + 1)
    if word not in TENS:
        return None
    following = _word(words, at + 1)
    if 1 <= SMALL.get(following, 0) <= 9:
        return Reading(TENS[word] + SMALL[following], False, at + 2)
    if 1 <= ORDINAL_SMALL.get(following, 0) <= 9:
        return Reading(TENS[word] + ORDINAL_SMALL[following], True, at + 2)
    return Reading(TENS[word], False, at + 1)


def _read_rest(words: Sequence[str], at: int) -> Reading | None:
    """What may follow "hundred": (and) 1 to 99, unless it opens a number of its own ("two hundred")."""
    start = at + 1 if _word(words, at) == "and" else at
    rest = _read_small(words, start)
    if rest is None or rest.value == 0 or _word(words, rest.end) == "hundred":
        return None
    return rest


def _read_group(words: Sequence[str], at: int) -> Reading | None:
    """0 to 9,999 as said without "thousand": 45, 130, twelve hundred."""
    if _word(words, at) in ("a", "an") and _word(words, at + 1) in ("hundred", *SCALES):
        head: Reading | None = Reading(1, False, at + 1)
    elif _word(words, at) in ("hundred", *SCALES):
        head = Reading(1, False, at)
    else:
        head = _read_small(words, at)
    if head is None or head.ordinal or head.value == 0:
        return head
    if (multiple := ORDINAL_MULTIPLES.get(_word(words, head.end))) is not None:
        return Reading(head.value * multiple, True, head.end + 1)
    if _word(words, head.end) != "hundred":
        return head
    hundreds = head.value * 100
    rest = _read_rest(words, head.end + 1)
    if rest is None:
        return Reading(hundreds, False, head.end + 1)
    return Reading(hundreds + rest.value, rest.ordinal, rest.end)


def _read_integer(words: Sequence[str], at: int) -> Reading | None:
    """Groups with falling scales: two million three hundred thousand and five."""
    total: int | Decimal = 0
    limit = 10**15
    reading: Reading | None = None
    while True:
        start = at + 1 if reading is not None and _word(words, at) == "and" else at
        group = _read_group(words, start)
        if group is None or (reading is not None and group.value == 0):
            return reading
        scale = SCALES.get(_word(words, group.end), 0)
        if reading is not None and not (scale < limit and (scale or _fits_under(words, group))):
            return reading
        if group.ordinal or scale == 0 or scale >= limit:
            return Reading(total + group.value, group.ordinal, group.end)
        total += group.value * scale
        at, limit = group.end + 1, scale
        reading = Reading(total, False, at)


def _fits_under(words: Sequence[str], group: Reading) -> bool:
    return group.value < 1000 and _word(words, group.end) not in SCALES


def _read_year(words: Sequence[str], at: int) -> Reading | None:
    """Years in two pairs: nineteen ninety five, twenty twenty six."""
    if _word(words, at) not in ("seventeen", "eighteen", "nineteen", "twenty"):
        return None
    century = SMALL.get(words[at]) or TENS[words[at]]
    pair = _read_small(words, at + 1)
    if pair is None or pair.ordinal or not 10 <= pair.value <= 99:
        return None
    return Reading(century * 100 + pair.value, False, pair.end)


def _read_decimals(words: Sequence[str], whole: Reading) -> Reading:
    """The digits after "point": three point one four."""
    at = whole.end
    digits = ""
    while _word(words, at + 1 + len(digits)) in SMALL and SMALL[words[at + 1 + len(digits)]] <= 9:
        digits += str(SMALL[words[at + 1 + len(digits)]])
    if not digits:
        return whole
    return Reading(Decimal(f"{whole.value}.{digits}"), False, at + 1 + len(digits))


_PARTS = {("half",): Decimal("0.5"), ("quarter",): Decimal("0.25"), ("quarters",): Decimal("0.75")}


def read_half(words: Sequence[str], at: int) -> tuple[Decimal, int] | None:
    """The value and end of "and a half", "and a quarter", "and three quarters" at ``at``."""
    if _word(words, at) != "and":
        return None
    article, part = _word(words, at + 1), _word(words, at + 2)
    if article in ("a", "one") and part in ("half", "quarter"):
        return _PARTS[(part,)], at + 3
    if article == "three" and part == "quarters":
        return _PARTS[(part,)], at + 3
    return None


def read_english(words: Sequence[str], at: int) -> Reading | None:
    """The longest number that begins at ``words[at]`` (lower case, split at blanks and hyphens)."""
    if _word(words, at) == "half" and _word(words, at + 1) == "a" and _word(words, at + 2) in MULTIPLES:
        return Reading(MULTIPLES[words[at + 2]] // 2, False, at + 3)
    if _word(words, at) in ("a", "an") and _word(words, at + 1) == "dozen":
        return Reading(12, False, at + 2)
    number = _read_year(words, at) or _read_integer(words, at)
    if number is None or number.ordinal:
        return number
    following = _word(words, number.end)
    if following == "dozen":
        return Reading(number.value * 12, False, number.end + 1)
    if following == "point":
        number = _read_decimals(words, number)
    half = read_half(words, number.end)
    if half is not None and isinstance(number.value, int):
        number = Reading(number.value + half[0], False, half[1])
    scale = SCALES.get(_word(words, number.end)) if isinstance(number.value, Decimal) else None
    return Reading(number.value * scale, False, number.end + 1) if scale else number


_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2, "兩": 2, "贰": 2, "叁": 3, "肆": 4, "柒": 7, "捌": 8, "玖": 9, "弐": 2,
}  # fmt: skip
_SMALL_UNITS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_LARGE_UNITS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
NUMERAL_CHARACTERS = "".join([*_DIGITS, *_SMALL_UNITS, *_LARGE_UNITS])
_PIECE = re.compile(r"[0-9]+(?:\.[0-9]+)?|.")


def _read_positional(run: str) -> int | None:
    """Digit by digit: 二〇二六. Two neighbours alone (五六) are "five or six", which is no number."""
    if len(run) == 2 and _DIGITS[run[0]] != 0 and _DIGITS[run[1]] != 0:
        return None
    if len(run) > MOST_DIGITS:
        return None
    return int("".join(str(_DIGITS[c]) for c in run))


class _Sum:
    """The running value of a numeral with units (一万二千三百)."""

    def __init__(self) -> None:
        self.total = self.section = Fraction(0)
        self.pending: Fraction | None = None
        self.last_small, self.last_large, self.last_unit = 10**4, 10**16, 0
        self.after_zero = False

    def take(self, piece: str, bare: bool) -> bool:
        """Adds one piece; False if no numeral goes on like this. ``bare``: 百 may mean 一百."""
        if piece in _SMALL_UNITS:
            return self._take_small(_SMALL_UNITS[piece], bare)
        if piece in _LARGE_UNITS:
            return self._take_large(_LARGE_UNITS[piece])
        value = Fraction(_DIGITS[piece]) if piece in _DIGITS else Fraction(piece)
        if self.pending is not None:
            return False
        if value == 0 and piece in "零〇":
            self.after_zero = True
            return self.last_unit > 0
        self.pending = value
        return True

    def _take_small(self, unit: int, bare: bool) -> bool:
        if unit >= self.last_small or (self.pending is None and unit > 10 and not bare):
            return False
        self.section += (Fraction(1) if self.pending is None else self.pending) * unit
        self.last_small = self.last_unit = unit
        self.pending, self.after_zero = None, False
        return True

    def _take_large(self, unit: int) -> bool:
        section = self.section + (self.pending or 0)
        if section == 0 or unit >= self.last_large:
            return False
        self.total += section * unit
        self.section, self.pending, self.last_small = Fraction(0), None, 10**4
        self.last_large = self.last_unit = unit
        self.after_zero = False
        return True

    def result(self, elliptical: bool) -> Fraction:
        """The value; ``elliptical``: the last digit of 二百五 stands for tens."""
        last = self.pending or Fraction(0)
        if elliptical and not self.after_zero and self.last_unit > 10:
            last = last * self.last_unit / 10
        return self.total + self.section + last


def read_cjk(run: str, japanese: bool) -> int | Decimal | None:
    """The value of a whole run of numerals and ASCII digits, or None if it is not one number.

    ``japanese``: 百 alone is 100 and 百二 is 102; in Chinese 百 alone is no number and 一百二 is 120.
    """
    if all(c in _DIGITS for c in run):
        return _read_positional(run)
    if len(run) > 60:
        return None
    running = _Sum()
    pieces = _PIECE.findall(run)
    if not all(running.take(piece, japanese) for piece in pieces):
        return None
    value = running.result(elliptical=not japanese and pieces[-1] in _DIGITS)
    if value.denominator == 1:
        return value.numerator
    return Decimal(value.numerator) / Decimal(value.denominator)
