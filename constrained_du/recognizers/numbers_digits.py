"""Numbers in digits: 42.50, 200,000, 3-5, 21st, 5 million, 2 1/2.

Digits that belong to something else (a clock, a date, a version, a word) give nothing.
"""

from __future__ import annotations

import re
from decimal import Decimal

from constrained_du.recognizers.number_edges import FoundNumber, NumberKind, json_number, left_edge
from constrained_du.recognizers.numerals import MOST_DIGITS, MULTIPLES, NUMBER_WORDS, read_half

_INTEGER = re.compile(r"[0-9]+")
_GROUPED = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+)(\.[0-9]+)?")
_INDIAN = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_EUROPEAN = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+")
_WORD_AFTER = re.compile(r"[a-zµ\u00df-\u024f_]+")
_EXPONENT = re.compile(r"e[+-]?[0-9]{1,9}(?![a-z0-9_.])")
_ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
_UNITS = frozenset(
    (
        "am pm km m cm mm kg g mg lb lbs oz l ml dl h hr hrs hour hours min mins minute minutes "
        "s sec secs ms d day days w wk wks week weeks x c f mph kmh kph kw kwh w v hz khz mhz ghz kb "
        "mb gb tb px pt deg usd eur gbp jpy cny rmb ft in inch yd mi miles percent pct pcs px dpi "
        "fps db cal kcal k° yr yrs"
    ).split()
)
_VULGAR = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_SCALE_AFTER = re.compile(rf"[ -]({'|'.join(MULTIPLES)})(?![a-z0-9_])")
_HALF_AFTER = re.compile(r" (and) (a|one|three) (half|quarters?)(?![a-z0-9_])")
_NUMBER_WORD = re.compile(rf"(?:{'|'.join(sorted(NUMBER_WORDS))})(?![a-z])")
"""7-eleven is no 7."""
_FRACTION_AFTER = re.compile(r" ([137])/([248])(?![0-9/a-z_.,:-])")
_SPACED_THOUSANDS = re.compile(r"(?: 000){1,5}(?![0-9.,:/-])")


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


def from_digits(folded: str, start: int, end: int) -> tuple[list[FoundNumber], int]:
    """The numbers of one run of digits, and where to go on reading."""
    shape = folded[start:end]
    left = left_edge(folded, start)
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


def _from_pieces(shape: str, pieces: list[str], start: int, sign: int, edge: int, after: str) -> list[FoundNumber]:
    if after and not _accepts_word(after):
        return []
    found = []
    at = 0
    for index, piece in enumerate(pieces):
        value = _value_of(piece)
        assert value is not None
        number = json_number(value, sign if index == 0 else 1)
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
    elif (after and not _accepts_word(after)) or (after == "x" and value == 0):
        return [], end
    elif folded[end : end + 1] in _VULGAR and folded[end : end + 1]:
        value, end = value + _VULGAR[folded[end]], end + 1
    elif not after:
        value, end = _with_following_words(folded, end, value)
    if folded[end : end + 1] == "-" and _NUMBER_WORD.match(folded, end + 1):
        return [], end
    if folded[end : end + 1] == "@" or (folded[end : end + 1] == "'" and folded[end + 1 : end + 2].isalnum()):
        return [], end
    if folded.startswith(("番目", "つ目"), end):
        kind, end = "ordinal", end + 2
    elif folded.startswith("第", edge - 1) and edge > 0:
        kind, edge = "ordinal", edge - 1
    elif re.match(r"(?:回|個|人|本|枚|日|年|度|軒|件)目", folded[end : end + 2]):
        kind, end = "ordinal", end + 2
    number = json_number(value, sign, whole=folded[end - 1].isalpha())
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
