"""Times of day, days, lengths and rhythms, in three languages: a table, and laws that hold for any text."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrained_du.recognizers.times import FoundTime, TimeKind, find_times

ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "tables" / "times.json").read_text("utf-8"))
KINDS: tuple[TimeKind, ...] = ("date", "time", "date-time", "duration")
NOW = datetime(2026, 8, 27, 9, 0)


def _name(row: dict[str, Any]) -> str:
    return f"{row['lang']}-{row['kind']}-{row['text'][:30]}"


def _as_row(found: FoundTime) -> list[object]:
    return [found.start, found.end, found.value] + ([found.recurring] if found.recurring else [])


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_a_row_of_the_table_is_found_exactly(row: dict[str, Any]) -> None:
    now = datetime.fromisoformat(row["now"]) if row["now"] else None
    found = find_times(row["text"], row["kind"], now)
    assert [_as_row(one) for one in found] == row["expect"]
    assert all(one.resolved != row.get("unresolved", False) for one in found)


def test_the_table_is_large_enough_in_each_language() -> None:
    for language in ("en", "ja", "zh"):
        assert sum(row["lang"] == language for row in ROWS) >= 50
    assert sum(not row["expect"] for row in ROWS) >= 20


WORDS = (
    "tomorrow next last this friday at on 7 10 pm am to and or every half past quarter three weeks in ago the 5th "
    "march may 31 2024-02-30 25:00 10:30 day hour minutes a , - "
    "明天 下周 三 点 半 分 后 每 来週 火曜日 午後 時 年 月 日 から"
).split()


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=9), st.sampled_from(KINDS), st.booleans())
def test_found_times_are_ordered_and_never_overlap(words: list[str], kind: TimeKind, with_now: bool) -> None:
    text = " ".join(words)
    spans = [(one.start, one.end) for one in find_times(text, kind, NOW if with_now else None)]
    for (start, end), (after, _) in pairwise(spans):
        assert (start, end) == (after, _) or end <= after


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), st.sampled_from(KINDS))
def test_no_text_makes_it_raise_and_the_answer_is_always_the_same(text: str, kind: TimeKind) -> None:
    assert find_times(text, kind, NOW) == find_times(text, kind, NOW)


@pytest.mark.parametrize("now", [datetime.min, datetime.max, datetime.max.replace(tzinfo=timezone.utc)])
@pytest.mark.parametrize(
    "text", ["tomorrow at 7", "in 900000 weeks", "last Monday", "next month", "3 years ago", "every day at 0:00"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_ends_of_the_calendar_do_not_make_it_raise(text: str, now: datetime, kind: TimeKind) -> None:
    for found in find_times(text, kind, now):
        assert found.resolved


def test_a_change_of_zone_offset_is_respected() -> None:
    zone = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 10, 24, 12, 0, tzinfo=zone)  # the clocks go back in the night that follows
    assert find_times("tomorrow at 10am", "date-time", now)[0].value == "2026-10-25T10:00:00+01:00"
    assert find_times("in 24 hours", "date-time", now)[0].value == "2026-10-25T11:00:00+01:00"


def test_an_aware_now_gives_its_offset_and_a_naive_one_none() -> None:
    aware = NOW.replace(tzinfo=timezone(timedelta(hours=9)))
    assert find_times("明日の午前7時", "date-time", aware)[0].value == "2026-08-28T07:00:00+09:00"
    assert find_times("明日の午前7時", "date-time", NOW)[0].value == "2026-08-28T07:00:00"


@pytest.mark.parametrize(
    "unit",
    ["1", "1 ", "1.", "1-", "1:", "one ", "monday ", "at 7 ", "1 hour and ", "7pm to ", "7 or ", "三点五", "明天3点"],
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        start = time.perf_counter()
        for kind in KINDS:
            find_times(text, kind, NOW)
        return time.perf_counter() - start

    seconds(2_000)
    assert seconds(32_000) < 40 * max(seconds(4_000), 0.002)


def test_an_utterance_of_fifteen_words_is_read_in_about_a_millisecond() -> None:
    times = []
    for number in range(50):  # distinct texts, since the last ones are kept
        text = f"book me a table for {number} people at half past seven next tuesday evening please thanks"
        start = time.perf_counter()
        find_times(text, "date-time", NOW)
        times.append(time.perf_counter() - start)
    assert sorted(times)[len(times) // 2] < 0.005  # five times the aim, for busy machines


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ring at 7:00, 15:00 and 23:00", ["07:00", "15:00", "23:00"]), ("at 8:00 and 20:00", ["08:00", "20:00"]),
        ("at 3 pm and 8", ["15:00", "20:00"]), ("from 13:00 to 2", ["13:00", "14:00"]),
    ],
)  # fmt: skip
def test_who_counts_hours_to_24_means_the_morning_by_8(text: str, found: list[str]) -> None:
    times = find_times(text, "time", datetime(2026, 11, 4, 9))
    assert [time.value for time in times] == found
