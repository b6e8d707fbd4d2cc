"""Numbers in Chinese and Japanese numerals, alone or mixed with digits: 三十, 2万5千, 第二, ふたつ."""

from __future__ import annotations

import re
from decimal import Decimal

from constrained_du.recognizers.cjk_context import after_weekday_prefix, stands_as_number
from constrained_du.recognizers.number_edges import (
    FoundNumber,
    NumberKind,
    json_number,
    left_edge,
    words_of_negation,
)
from constrained_du.recognizers.numbers_digits import from_digits
from constrained_du.recognizers.numerals import MOST_DIGITS, read_cjk

KANA: dict[str, int] = {
    word: value
    for value, word in enumerate("ひとつ ふたつ みっつ よっつ いつつ むっつ ななつ やっつ ここのつ".split(), 1)
} | {"ひとり": 1, "ふたり": 2, "ゼロ": 0}
"""Japanese counts in kana."""
_UNIT_PREFIX = re.compile(r"([0-9.]+)千(?=[克米瓦卡赫])")
_POINT_AFTER = re.compile(r"[点點]([零〇一二三四五六七八九0-9]+)(?![零〇一二三四五六七八九十百分刻半0-9])")
_ORDINAL_AFTER = re.compile(r"番目|つ目|[回個人本枚日年度軒件]目")
_DISCOUNT = frozenset("折成割")


def from_cjk(folded: str, start: int, end: int, japanese: bool) -> tuple[list[FoundNumber], int]:
    """The number of one run of numerals, if it is one, and where to go on reading."""
    if after_weekday_prefix(folded, start):
        start += 1
    found = _from_mixed(folded, start, end, japanese) if start < end else []
    return found, max([end, *(number.end for number in found)])


def _from_mixed(folded: str, start: int, end: int, japanese: bool) -> list[FoundNumber]:
    if folded[start:end].isdigit() and folded[start].isascii():
        return from_digits(folded, start, end)[0]
    if prefix := _UNIT_PREFIX.match(folded, start, end + 1):
        end = prefix.end(1)
        return from_digits(folded, start, end)[0] if prefix[1].count(".") < 2 else []
    if folded[start].isascii() and left_edge(folded, start) is None:
        return []
    percent = folded[max(0, start - 3) : start] == "百分之"
    if folded.startswith("分之", end) or (folded.endswith("分之", 0, start) and not percent):
        return []
    value = (
        Decimal(100)
        if percent and folded[start:end] == "百"
        else read_cjk(folded[start:end], japanese or _is_bare(folded[start:end]))
    )
    if value is None or folded[end : end + 1] in _DISCOUNT:
        return []
    return _finish_cjk(folded, start, end, value, percent)


def _is_bare(run: str) -> bool:
    """百五十: only Japanese leaves 一 out before 百."""
    return len(run) > 2 and run[0] in "百千"


def _finish_cjk(folded: str, start: int, end: int, value: int | Decimal, percent: bool) -> list[FoundNumber]:
    kind: NumberKind = "cardinal"
    edge, sign = words_of_negation(folded, start)
    if folded[start].isascii() and (left := left_edge(folded, start)) is not None:
        edge, sign = left[0], left[1]
    if folded[start - 1 : start] == "第":
        kind, edge = "ordinal", start - 1
    elif ordinal := _ORDINAL_AFTER.match(folded, end):
        kind, end = "ordinal", ordinal.end()
    elif point := _POINT_AFTER.match(folded, end):
        digits = "".join(str("零一二三四五六七八九".find(c.replace("〇", "零"))) if c > "9" else c for c in point[1])
        value, end = Decimal(f"{value}.{digits[:MOST_DIGITS]}"), point.end()
    elif (
        not percent
        and not folded.startswith(("个半", "個半"), end)
        and edge == start
        and not stands_as_number(folded, start, end)
    ):
        return []
    number = json_number(value, sign, whole=True)
    return [] if number is None else [FoundNumber(edge, end, number, kind)]
