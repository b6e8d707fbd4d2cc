"""Numbers said in digits and in words: a table, and laws that hold for any text."""

from __future__ import annotations

import json
import math
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrained_du.recognizers.numbers import FoundNumber, find_numbers

ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "tables" / "numbers.json").read_text("utf-8"))


def _as_row(found: FoundNumber) -> list[object]:
    return [found.start, found.end, found.value] + (["ordinal"] if found.kind == "ordinal" else [])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"][:30])
def test_a_row_of_the_table_is_found_exactly(row: dict[str, Any]) -> None:
    found = [_as_row(number) for number in find_numbers(row["text"])]
    assert found == row["expect"]
    assert [type(number[2]) for number in found] == [type(number[2]) for number in row["expect"]]


def test_the_table_is_large_enough() -> None:
    assert len(ROWS) >= 60
    assert sum(not row["expect"] for row in ROWS) >= 20


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=0, max_value=10**25))
def test_every_integer_in_digits_is_read_exactly(value: int) -> None:
    assert [number.value for number in find_numbers(f"number {value} please")] == [value]


ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
)
ENGLISH += "seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
HAN = "零一二三四五六七八九"


def _in_english(value: int) -> str:
    if value < 20:
        return ENGLISH[value]
    if value < 100:
        return TENS[value // 10 - 2] + (" " + ENGLISH[value % 10] if value % 10 else "")
    for scale, word in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= scale:
            rest = value % scale
            return f"{_in_english(value // scale)} {word}" + (" " + _in_english(rest) if rest else "")
    raise AssertionError(value)


def _in_chinese(value: int) -> str:
    """Written digit by digit with its units, 零 for every gap."""
    text, gap = "", False
    for unit, word in (
        (10**7, "千"),
        (10**6, "百"),
        (10**5, "十"),
        (10**4, "万"),
        (1000, "千"),
        (100, "百"),
        (10, "十"),
    ):
        digit, value = divmod(value, unit)
        if digit:
            text += ("零" if gap and text else "") + HAN[digit] + word
        elif word == "万" and text:
            text += "万"
        gap = not digit and word != "万"
    return text + ("零" if gap and text and value else "") + (HAN[value] if value or not text else "")


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0, max_value=999_999_999))
def test_every_integer_in_english_words_is_read_whole(value: int) -> None:
    text = _in_english(value)
    assert [(n.start, n.end, n.value) for n in find_numbers(f"take {text} percent")] == [(5, 5 + len(text), value)]


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=11, max_value=99_999_999))
def test_every_integer_in_chinese_numerals_is_read_whole(value: int) -> None:
    text = _in_chinese(value)
    assert [(n.start, n.end, n.value) for n in find_numbers(f"设为{text}度")] == [(2, 2 + len(text), value)]


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet="0123456789.,-+/:' e½一十百万点半第個abhkm%$", max_size=30) | st.text(max_size=30))
def test_found_numbers_are_finite_ordered_and_never_overlap(text: str) -> None:
    found = find_numbers(text)
    assert all(math.isfinite(number.value) and number.start < number.end for number in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert json.loads(json.dumps([number.value for number in found])) == [number.value for number in found]


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "1.", "1-", "1:", "1,", "one ", "one hundred and ", "一", "十", "三点五", "1e9"]
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        start = time.perf_counter()
        find_numbers(text)
        return time.perf_counter() - start

    seconds(4_000)
    assert seconds(100_000) < 60 * max(seconds(10_000), 0.002)


def test_an_utterance_of_fifteen_words_is_read_in_less_than_a_millisecond() -> None:
    text = "turn the volume in the living room to forty five percent and the lamp to 20"
    find_numbers(text)
    times = []
    for _ in range(50):
        start = time.perf_counter()
        find_numbers(text)
        times.append(time.perf_counter() - start)
    assert sorted(times)[len(times) // 2] < 0.004  # four times the aim, for busy machines
