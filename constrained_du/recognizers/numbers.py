"""Finds the numbers said in an utterance: digits of any script, English words, Chinese and Japanese numerals.

Only whole numbers come out. What may be a piece of something else (a clock time, a date,
a version, a phone number, a word) gives nothing. Knows nothing of slots and bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from constrained_du.recognizers.cjk_context import after_weekday_prefix, stands_as_number
from constrained_du.recognizers.numerals import (
    MOST_DIGITS,
    MULTIPLES,
    NUMBER_WORDS,
    NUMERAL_CHARACTERS,
    ORDINAL_WORDS,
    read_cjk,
    read_english,
    read_half,
)
from constrained_du.recognizers.pronouns import is_pronoun_one, is_unit_second
from constrained_du.recognizers.spelling import even_out

NumberKind = Literal["cardinal", "ordinal"]


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number as said: code points [start, end), with its sign, without unit, currency or percent sign."""

    start: int
    end: int
    value: int | float
    kind: NumberKind


_KANA = {
    word: value
    for value, word in enumerate(
        "ひとつ ふたつ みっつ よっつ いつつ むっつ ななつ やっつ ここのつ".split(), 1
    )
}
_KANA |= {"ひとり": 1, "ふたり": 2, "ゼロ": 0}
_WORD = "|".join(sorted(NUMBER_WORDS | ORDINAL_WORDS | {"a", "an", "and", "half"}, key=len, reverse=True))
_LEAD = "|".join(sorted(NUMBER_WORDS | ORDINAL_WORDS | {"half"}, key=len, reverse=True))
_MORE = "|".join([_WORD, "point", "quarters?"])
_SCAN = re.compile(
    rf"(?P<cjk>(?:[0-9]+(?:\.[0-9]+)?)?[{NUMERAL_CHARACTERS}](?:[0-9]+(?:\.[0-9]+)?|[{NUMERAL_CHARACTERS}])*)"
    r"|(?P<digits>[0-9]+(?:[.,:/'-][0-9]+)*)"
    rf"|(?P<kana>(?<!もう)(?:{'|'.join(_KANA)}))"
    rf"|(?P<words>(?<![a-z0-9_'])(?:an?[ -])?(?:{_LEAD})(?:[ -]{{1,3}}(?:{_MORE}))*(?![a-z0-9_]))"
)

_INTEGER = re.compile(r"[0-9]+")
_GROUPED = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+)(\.[0-9]+)?")
_INDIAN = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_EUROPEAN = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+")
_LETTER_BEFORE = re.compile(r"[a-z_\u00b5-\u024f\u0370-\u052f]")
_WORD_AFTER = re.compile(r"[a-zµ\u00df-\u024f_]+")
_EXPONENT = re.compile(r"e[+-]?[0-9]{1,9}(?![a-z0-9_.])")
_ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
_UNITS = frozenset(
    (
        "am pm a p km m cm mm kg g mg lb lbs oz l ml dl h hr hrs hour hours min mins minute minutes "
        "s sec secs ms d day days w wk wks week weeks x c f mph kmh kph kw kwh w v hz khz mhz ghz kb "
        "mb gb tb px pt deg usd eur gbp jpy cny rmb ft in inch yd mi miles percent pct pcs px dpi "
        "fps db cal kcal k° yr yrs"
    ).split()
)
_GLUING_UNITS = frozenset("hmsx")
_VULGAR = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_CURRENCY = frozenset("$€£¥￥")
_SCALE_AFTER = re.compile(rf"[ -]({'|'.join(MULTIPLES)})(?![a-z0-9_])")
_HALF_AFTER = re.compile(r" (and) (a|one|three) (half|quarters?)(?![a-z0-9_])")
_FRACTION_AFTER = re.compile(r" ([137])/([248])(?![0-9/a-z_.,:-])")
_PHONE = re.compile(
    r"\+[0-9]{1,3}(?:[ -]?\(?[0-9]{1,5}\)?){2,6}|(?<![0-9])\(?[0-9]{3}\)?[ -][0-9]{3}[ -][0-9]{4}(?![0-9])"
)
_SPACED_THOUSANDS = re.compile(r"(?: 000){1,5}(?![0-9.,:/-])")
_PART_WORDS = frozenset({"thirds", "fourths", "fifths", "sixths", "sevenths", "eighths", "ninths", "tenths"})
_PLURAL_MULTIPLES = frozenset(word + "s" for word in MULTIPLES)
_COMPOUNDS = frozenset(("way time off on class hand party rate up degree guess nighter stop").split())
_NEGATIONS = re.compile(r"(?<![a-z])(minus|negative) $")
_CJK_NEGATIONS = ("マイナス", "零下", "负的", "负", "負", "零下的", "氷点下")
_HALF_UNIT = re.compile(
    r"(?<![a-z0-9_])(half) (?:an?|of an?) (?=[a-z])(?!dozen|hundred|thousand|million|billion)(?:hour|mile|minute|"
    r"kilo|kilometer|kilometre|liter|litre|gallon|pound|inch|cup|teaspoon|tablespoon|day|year|percent|degree)s?"
    r"(?![a-z])|(?<![一-鿿0-9])(半)(?=个?小时|個?小時|時間|个钟头|天|年|个月|公里|公斤|斤|杯)"
)


def find_numbers(text: str) -> tuple[FoundNumber, ...]:
    """All numbers of ``text``, left to right, without overlaps; time linear in the length, never raises."""
    folded = even_out(text)
    blocked = _phone_spans(folded)
    japanese = bool(re.search(r"[\u3041-\u30ff]", folded))
    found: list[FoundNumber] = []
    at = 0
    while (match := _SCAN.search(folded, at)) is not None:
        start, at = match.span()
        if (block := _block_at(blocked, start)) is not None:
            at = max(block, start + 1)
        elif match["digits"] is not None:
            numbers, at = _from_digits(folded, match.start(), match.end())
            found += numbers
        elif match["cjk"] is not None:
            numbers, at = _from_cjk(folded, match.start(), match.end(), japanese)
            found += numbers
        elif match["kana"] is not None:
            found.append(FoundNumber(match.start(), match.end(), _KANA[match[0]], "cardinal"))
        else:
            found += _from_words(folded, match.start(), match.end())
    return _with_halves(folded, found)


def _with_halves(folded: str, found: list[FoundNumber]) -> tuple[FoundNumber, ...]:
    """Adds "half an hour" and 半小时, where a unit makes sure that half is meant as 0.5."""
    if "half" in folded or "半" in folded:
        for match in _HALF_UNIT.finditer(folded):
            start, end = match.span(1) if match[1] else match.span(2)
            if not any(n.start < end and start < n.end for n in found):
                if not re.search(r"(?:and a|one and a) $", folded[max(0, start - 10) : start]):
                    found.append(FoundNumber(start, end, 0.5, "cardinal"))
    return tuple(sorted(found, key=lambda number: number.start))


def _phone_spans(folded: str) -> list[tuple[int, int]]:
    if "+" not in folded and "-" not in folded and " " not in folded:
        return []
    return [match.span() for match in _PHONE.finditer(folded) if sum(c.isdigit() for c in match[0]) >= 7]


def _block_at(blocked: list[tuple[int, int]], start: int) -> int | None:
    while blocked and blocked[0][1] <= start:
        blocked.pop(0)
    return blocked[0][1] if blocked and blocked[0][0] <= start else None


# --- digits -----------------------------------------------------------------------------------------------


def _number(value: int | Decimal, sign: int, whole: bool = False) -> int | float | None:
    """The JSON number; None where a double would be infinite. ``whole``: an integral value becomes an int."""
    if isinstance(value, int):
        return value * sign
    number = float(value)
    if abs(number) == float("inf"):
        return None
    return int(value) * sign if whole and value == value.to_integral_value() else number * sign


def _value_of(shape: str) -> int | Decimal | None:
    """The value of one written number without its sign; None for every other shape."""
    if len(shape) > MOST_DIGITS:
        return None
    if _INTEGER.fullmatch(shape):
        return int(shape)
    if _DECIMAL.fullmatch(shape):
        return Decimal(shape)
    if match := _GROUPED.fullmatch(shape):
        whole = match[1].replace(",", "")
        return Decimal(whole + match[2]) if match[2] else int(whole)
    if _INDIAN.fullmatch(shape):
        return int(shape.replace(",", ""))
    if _EUROPEAN.fullmatch(shape):
        return Decimal(shape.replace(".", "").replace(",", "."))
    return None


def _pieces(shape: str) -> list[str] | None:
    """The parts of a written range (3-5) or of a list without blanks (1,2,3); None if it is neither."""
    parts = shape.split("-")
    if len(parts) == 2 and (len(parts[0]), len(parts[1])) != (3, 4):
        return parts if all(_value_of(part) is not None for part in parts) else None
    parts = shape.split(",")
    if len(parts) >= 3 and all(_INTEGER.fullmatch(part) and len(part) != 3 for part in parts):
        return parts
    return None


def _left_edge(folded: str, start: int) -> tuple[int, int, bool] | None:
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
    if before in "/@\\" or (_LETTER_BEFORE.match(before) and not _glued_to_unit(folded, edge)):
        return None
    return _words_of_negation(folded, edge) + (point,)


def _glued_to_unit(folded: str, edge: int) -> bool:
    """The 30 of 1h30m: the letter before it is the unit of a number."""
    return folded[edge - 1] in _GLUING_UNITS and edge > 1 and folded[edge - 2].isdigit()


def _words_of_negation(folded: str, edge: int) -> tuple[int, int]:
    window = folded[max(0, edge - 10) : edge]
    if match := _NEGATIONS.search(window):
        return edge - len(window) + match.start(), -1
    for word in _CJK_NEGATIONS:
        if window.endswith(word):
            return edge - len(word), -1
    return edge, 1


def _from_digits(folded: str, start: int, end: int) -> tuple[list[FoundNumber], int]:
    """The numbers of one run of digits, and where to go on reading."""
    shape = folded[start:end]
    left = _left_edge(folded, start)
    word = _WORD_AFTER.match(folded, end)
    after = word[0] if word else ""
    if left is None or _is_decade(folded, start, shape, after):
        return [], end
    edge, sign, point = left
    if (value := _value_of(shape)) is None:
        pieces = _pieces(shape)
        return (_from_pieces(shape, pieces, start, sign, edge, after) if pieces else []), end
    if point:
        value = Decimal("0." + shape) if _INTEGER.fullmatch(shape) else None
    if value is None:
        return [], end
    return _with_right_edge(folded, edge, end, sign, value, after)


def _is_decade(folded: str, start: int, shape: str, after: str) -> bool:
    if after != "s" or not shape.endswith("0"):
        return False
    return len(shape) == 4 or folded[start - 1 : start] == "'" or folded[max(0, start - 4) : start] == "the "


def _from_pieces(
    shape: str, pieces: list[str], start: int, sign: int, edge: int, after: str
) -> list[FoundNumber]:
    if after and not _accepts_word(after):
        return []
    found = []
    at = 0
    for index, piece in enumerate(pieces):
        value = _value_of(piece)
        assert value is not None
        number = _number(value, sign if index == 0 else 1)
        if number is not None:
            begin = edge if index == 0 else start + at
            found.append(FoundNumber(begin, start + at + len(piece), number, "cardinal"))
        at += len(piece) + 1
    return found


def _accepts_word(after: str) -> bool:
    return after in _UNITS


def _with_right_edge(
    folded: str, edge: int, end: int, sign: int, value: int | Decimal, after: str
) -> tuple[list[FoundNumber], int]:
    """Reads what belongs to the number on its right: exponent, ordinal suffix, fraction, scale word."""
    kind: NumberKind = "cardinal"
    if exponent := _EXPONENT.match(folded, end):
        value, end, after = Decimal(f"{value}{exponent[0]}"), exponent.end(), ""
    elif after in _ORDINAL_SUFFIXES and isinstance(value, int):
        kind, end = "ordinal", end + 2
    elif after and not _accepts_word(after):
        return [], end
    elif folded[end : end + 1] in _VULGAR and folded[end : end + 1]:
        value, end = value + _VULGAR[folded[end]], end + 1
    elif not after:
        value, end = _with_following_words(folded, end, value)
    if folded[end : end + 1] == "@" or (folded[end : end + 1] == "'" and folded[end + 1 : end + 2].isdigit()):
        return [], end
    if kind == "cardinal" and folded.startswith("番目", end) or folded.startswith("つ目", end):
        kind, end = "ordinal", end + 2
    elif folded.startswith("第", edge - 1) and edge > 0:
        kind, edge = "ordinal", edge - 1
    elif re.match(r"(?:回|個|人|本|枚|日|年|度|軒|件)目", folded[end : end + 2]):
        kind, end = "ordinal", end + 2
    number = _number(value, sign, whole=folded[end - 1].isalpha())
    return ([] if number is None else [FoundNumber(edge, end, number, kind)]), end


def _with_following_words(folded: str, end: int, value: int | Decimal) -> tuple[int | Decimal, int]:
    """5 million, 2 and a half, 2 1/2, 200 000."""
    for _ in range(2):
        if (scale := _SCALE_AFTER.match(folded, end)) is None:
            break
        value, end = value * MULTIPLES[scale[1]], scale.end()
    if half := _HALF_AFTER.match(folded, end):
        read = read_half([half[1], half[2], half[3]], 0)
        if read is not None and isinstance(value, int):
            value, end = value + read[0], half.end()
    elif (fraction := _FRACTION_AFTER.match(folded, end)) and int(fraction[1]) < int(fraction[2]):
        value, end = value + Decimal(fraction[1]) / Decimal(fraction[2]), fraction.end()
    elif isinstance(value, int) and 0 < value < 1000 and (groups := _SPACED_THOUSANDS.match(folded, end)):
        value, end = int(f"{value}{groups[0].replace(' ', '')}"), groups.end()
    return value, end


# --- Chinese and Japanese numerals ------------------------------------------------------------------------

_UNIT_PREFIX = re.compile(r"([0-9.]+)千(?=[克米瓦卡赫])")
_POINT_AFTER = re.compile(r"[点點]([零〇一二三四五六七八九0-9]+)(?![零〇一二三四五六七八九十百分刻半0-9])")
_HALF_COUNT = re.compile(r"[个個]半")
_HALF_AFTER_UNIT = re.compile(r"(?:時間|小时|小時|年|倍|天)半")
_ORDINAL_AFTER = re.compile(r"番目|つ目|[回個人本枚日年度軒件]目")
_DISCOUNT = frozenset("折成割")


def _from_cjk(folded: str, start: int, end: int, japanese: bool) -> tuple[list[FoundNumber], int]:
    """The number of one run of numerals, if it is one, and where to go on reading."""
    if after_weekday_prefix(folded, start):
        start += 1
    found = _from_mixed(folded, start, end, japanese) if start < end else []
    return found, max([end, *(number.end for number in found)])


def _from_mixed(folded: str, start: int, end: int, japanese: bool) -> list[FoundNumber]:
    if folded[start:end].isdigit() and folded[start].isascii():
        return _from_digits(folded, start, end)[0]
    if prefix := _UNIT_PREFIX.match(folded, start, end + 1):
        end = prefix.end(1)
        return _from_digits(folded, start, end)[0] if prefix[1].count(".") < 2 else []
    if folded[start].isascii() and _left_edge(folded, start) is None:
        return []
    percent = folded[max(0, start - 3) : start] == "百分之"
    if folded.startswith("分之", end):
        return []
    value = Decimal(100) if percent and folded[start:end] == "百" else read_cjk(folded[start:end], japanese)
    if value is None or folded[end : end + 1] in _DISCOUNT and folded[end : end + 1]:
        return []
    return _finish_cjk(folded, start, end, value, percent)


def _finish_cjk(folded: str, start: int, end: int, value: int | Decimal, percent: bool) -> list[FoundNumber]:
    kind: NumberKind = "cardinal"
    edge, sign = _words_of_negation(folded, start)
    if folded[start].isascii() and (left := _left_edge(folded, start)) is not None:
        edge, sign = left[0], left[1]
    if folded[start - 1 : start] == "第":
        kind, edge = "ordinal", start - 1
    elif ordinal := _ORDINAL_AFTER.match(folded, end):
        kind, end = "ordinal", ordinal.end()
    elif point := _POINT_AFTER.match(folded, end):
        digits = "".join(
            str("零一二三四五六七八九".find(c.replace("〇", "零"))) if c > "9" else c for c in point[1]
        )
        value, end = Decimal(f"{value}.{digits[:MOST_DIGITS]}"), point.end()
    elif half := _HALF_COUNT.match(folded, end) or _HALF_AFTER_UNIT.match(folded, end):
        value, end = value + Decimal("0.5"), half.end()
    elif not percent and edge == start and not stands_as_number(folded, start, end):
        return []
    number = _number(value, sign, whole=True)
    return [] if number is None else [FoundNumber(edge, end, number, kind)]


# --- English words ----------------------------------------------------------------------------------------

_SPLIT = re.compile(r"[a-z]+")


def _from_words(folded: str, start: int, end: int) -> Iterator[FoundNumber]:
    """The numbers of one run of number words ("two three hundred": 2 and 300)."""
    places = [(start + m.start(), start + m.end()) for m in _SPLIT.finditer(folded[start:end])]
    words = [folded[a:b] for a, b in places]
    at = 0
    while at < len(words):
        reading = read_english(words, at)
        if reading is None:
            at += 1
            continue
        first, last, begin = places[at][0], places[reading.end - 1][1], at
        at = reading.end
        kind: NumberKind = "ordinal" if reading.ordinal else "cardinal"
        if _is_part_of_words(folded, first, last, words, begin, at):
            at = len(words) if _next_word(folded, last) in _PART_WORDS | _PLURAL_MULTIPLES else at
            continue
        edge, sign = _words_of_negation(folded, first)
        if edge == first and folded[first - 1 : first] == "-" and not folded[first - 2 : first - 1].isalnum():
            edge, sign = first - 1, -1
        number = _number(reading.value, sign, whole=True)
        if number is not None:
            yield FoundNumber(edge, last, number, kind)


def _next_word(folded: str, end: int) -> str:
    match = re.compile(r"[ -]([a-z]+)").match(folded, end)
    return match[1] if match else ""


def _is_part_of_words(folded: str, first: int, last: int, words: list[str], begin: int, end: int) -> bool:
    """Whether the words between ``first`` and ``last`` are no number after all."""
    if folded[last : last + 1] == "'" or folded[first - 2 : first] in ("a-", "n-"):
        return True
    following = _next_word(folded, last)
    if following in _PART_WORDS or following in _PLURAL_MULTIPLES:
        return True
    if folded[last : last + 1] == "-" and following in _COMPOUNDS:
        return True
    said = words[begin:end]
    if said[-1:] == ["second"] and is_unit_second(folded, first, last, len(said)):
        return True
    if begin + 1 < end or said != ["one"]:
        return False
    return following in ("third", "fourth", "fifth") or is_pronoun_one(folded, first, last)
