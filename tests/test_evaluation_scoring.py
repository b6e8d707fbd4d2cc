"""Laws of reading lines and judging answers, and the arithmetic of figures, by hand."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from constrained_du.errors import InputError
from constrained_du.evaluation import (
    GoldCall,
    Line,
    SlotCounts,
    json_equal,
    read_lines,
)
from constrained_du.evaluation.figures import (
    Judged,
    auroc,
    calibration,
    calibration_error,
    median,
    percentile,
    risk_coverage,
)
from constrained_du.evaluation.match import count_slots, is_exact, is_right, pair_off
from constrained_du.types import DO_NOT_UNDERSTAND, Call


def line(utterance: str, *calls: GoldCall, **others: Any) -> Line:
    return Line(utterance, calls, **others)


# ---------------------------------------------------------------- reading


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def test_a_full_line_is_read_into_values(tmp_path: Path) -> None:
    row = {
        "id": "sgd-dev-16_00123-3",
        "utterance": "to Rome, any day",
        "entities": {"city": [[3, 7], [3, 7, "ROM"]]},
        "expectations": [["city", "go"]],
        "history": ["hello"],
        "now": "2023-07-11T09:00:00Z",
        "functions": ["go"],
        "specs": [{"name": "go"}],
        "answers": [{"name": "go", "arguments": {"city": ["Rome", ""]}}],
        "calls": [
            {
                "name": "go",
                "arguments": {"city": "Rome"},
                "operators": {"day": "dontcare", "by": [["!=", "bus"]]},
            }
        ],
    }
    (read,) = read_lines(write(tmp_path / "d.jsonl", row, "", "  "))
    assert read.entities == {"city": [(3, 7), (3, 7, "ROM")]}
    assert read.expectations == (("city", "go"),)
    assert read.history == ("hello",) and read.functions == ("go",) and read.specs == ({"name": "go"},)
    assert read.now == datetime(2023, 7, 11, 9, tzinfo=timezone.utc)
    assert read.answers == (GoldCall("go", {"city": ["Rome", ""]}),)
    operators = {"day": (("dontcare", None),), "by": (("!=", "bus"),)}
    assert read.calls == (GoldCall("go", {"city": "Rome"}, operators),)
    assert read.category == "sgd-dev" and read.place == f"{tmp_path / 'd.jsonl'}:1"


@pytest.mark.parametrize("calls", [[], [{"name": DO_NOT_UNDERSTAND, "arguments": {}}]])
def test_no_calls_and_the_refusal_are_the_same_expectation(tmp_path: Path, calls: Any) -> None:
    (read,) = read_lines(write(tmp_path / "d.jsonl", {"utterance": "x", "calls": calls}))
    assert read.calls == ()


OK = {"utterance": "to Rome", "calls": []}


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ("{", "Expecting"),
        ('{"utterance": "x", "calls": [{"name": "f", "arguments": {"n": NaN}}]}', "NaN is not JSON"),
        ([], "the line is []"),
        ({"calls": []}, "no 'utterance'"),
        ({"utterance": "x"}, "no 'calls'"),
        ({**OK, "entites": {}}, "unknown key 'entites'"),
        ({**OK, "utterance": 5}, "utterance is 5"),
        ({**OK, "calls": {}}, "calls is {}"),
        ({**OK, "calls": [{"arguments": {}}]}, "a call's name is None"),
        ({**OK, "calls": [{"name": "f", "args": {}}]}, "unknown key 'args'"),
        ({**OK, "calls": [{"name": "f", "arguments": []}]}, "arguments is []"),
        ({**OK, "calls": [{"name": "f"}, {"name": DO_NOT_UNDERSTAND}]}, "beside other calls"),
        ({**OK, "calls": [{"name": "f", "operators": {"s": [1]}}]}, "operators['s'] has 1"),
        ({**OK, "entities": {"city": [[3, 8]]}}, "[3, 8] is no span"),
        ({**OK, "entities": {"city": [[3, 3]]}}, "[3, 3] is no span"),
        ({**OK, "entities": {"city": [[True, 3]]}}, "[True, 3]"),
        ({**OK, "entities": {"city": [["3", 8]]}}, "give [start, end]"),
        ({**OK, "expectations": [["city"]]}, "give [slot, function]"),
        ({**OK, "history": "hello"}, "history is 'hello'"),
        ({**OK, "now": "yesterday"}, "now is 'yesterday'"),
        ({**OK, "answers": [{"name": "f", "arguments": {}}]}, "1 answers for 0 calls"),
        ({**OK, "calls": [{"name": "f"}], "answers": [{"name": "f", "arguments": {"a": 1}}]}, "'a' is 1"),
    ],
)
def test_a_bad_line_is_an_input_error_with_its_place(tmp_path: Path, row: Any, word: str) -> None:
    path = write(tmp_path / "d.jsonl", OK, row)
    with pytest.raises(InputError, match=re.escape(word)) as caught:
        read_lines(path)
    assert f"{path}:2" in str(caught.value)


def test_a_file_that_is_absent_empty_or_not_text_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    write(tmp_path / "empty", "", " ")
    for name in ("absent", "binary", "empty"):
        with pytest.raises(InputError, match=name):
            read_lines(tmp_path / name)


@pytest.mark.parametrize(
    ("id", "category"),
    [
        ("snips-17", "snips"),
        ("bfcl-live_irrelevance_838-328-0", "bfcl-live_irrelevance"),
        ("bfcl-parallel_191", "bfcl-parallel"),
        ("banking77-dev-3", "banking77-dev"),
        ("17", ""),
        ("", ""),
    ],
)
def test_the_category_is_the_id_up_to_its_first_number(id: str, category: str) -> None:
    assert line("x", id=id).category == category


# ---------------------------------------------------------------- when an answer is right


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (True, 1, False),
        (False, 0, False),
        (True, True, True),
        (1, 1.0, True),
        (2**63 + 1, float(2**63), False),
        ("1", 1, False),
        (None, False, False),
        (None, None, True),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [2, 1], False),
        ([1, [True]], [1, [1]], False),
        ([], {}, False),
    ],
)
def test_values_are_compared_as_json(left: Any, right: Any, equal: bool) -> None:
    assert json_equal(left, right) is equal and json_equal(right, left) is equal


BFCL = line(
    "…",
    GoldCall("find", {"city": "New York", "n": 2.0}),
    answers=(
        GoldCall(
            "find",
            {
                "city": ["New York, NY", "NYC"],
                "n": [2.0],
                "near": ["", "park"],
                "tags": ["", ["a b", "C"]],
                "at": ["", {"lat": [1.0], "lon": [2, ""]}],
            },
        ),
    ),
)


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ({"city": "new york ny", "n": 2}, True),
        ({"city": "New-York./*NY", "n": 2.0, "near": "Park"}, True),
        ({"city": "NYC", "n": "2"}, False),
        ({"city": "NYC", "n": True}, False),
        ({"city": "NYC"}, False),
        ({"city": "York", "n": 2}, False),
        ({"city": "NYC", "n": 2, "near": "river"}, False),
        ({"city": "NYC", "n": 2, "more": 1}, False),
        ({"city": "NYC", "n": 2, "tags": ["AB", "c"]}, True),
        ({"city": "NYC", "n": 2, "tags": ["c", "ab"]}, False),
        ({"city": "NYC", "n": 2, "at": {"lat": 1}}, True),
        ({"city": "NYC", "n": 2, "at": {"lat": 1, "lon": 2.0}}, True),
        ({"city": "NYC", "n": 2, "at": {"lon": 2}}, False),
        ({"city": "NYC", "n": 2, "at": {"lat": 1, "alt": 0}}, False),
    ],
)
def test_bfcl_accepts_what_the_benchmark_accepts(arguments: Any, right: bool) -> None:
    assert is_right(BFCL, [Call("find", arguments)]) is right


def test_strict_scoring_of_a_bfcl_line_knows_only_its_calls() -> None:
    assert is_exact(BFCL, [Call("find", {"n": 2, "city": "New York"})])
    assert not is_exact(BFCL, [Call("find", {"n": 2, "city": "NYC"})])


def test_parallel_calls_may_come_in_any_order_only_in_bfcl() -> None:
    gold = (GoldCall("f", {"a": 1}), GoldCall("f", {"a": 2}))
    answers = (GoldCall("f", {"a": [1, 2]}), GoldCall("f", {"a": [2]}))
    swapped = [Call("f", {"a": 2}), Call("f", {"a": 1})]
    assert is_right(line("…", *gold, answers=answers), swapped)
    assert not is_right(line("…", *gold), swapped)
    assert not is_right(line("…", *gold, answers=answers), [Call("f", {"a": 2})])
    assert not is_right(line("…", *gold, answers=answers), [Call("f", {"a": 1}), Call("f", {"a": 1})])


@pytest.mark.parametrize(
    ("said", "right_with", "right_without"),
    [
        ({"day": [("dontcare", None)], "by": [("!=", "bus"), ("!=", "car")]}, True, True),
        ({"by": [("!=", "car"), ("!=", "bus")], "day": [("dontcare", None)]}, True, True),
        ({"day": [("dontcare", None)], "by": [("!=", "bus")]}, False, True),
        ({}, False, True),
    ],
)
def test_operators_count_only_where_the_converter_has_them(
    said: Any, right_with: bool, right_without: bool
) -> None:
    operators = {"day": (("dontcare", None),), "by": (("!=", "bus"), ("!=", "car"))}
    gold = line("…", GoldCall("go", {"to": "Rome"}, operators))
    calls = [Call("go", {"to": "Rome"}, operators=said)]
    assert is_exact(gold, calls, operators=True) is right_with
    assert is_exact(gold, calls) is right_without


@pytest.mark.parametrize(
    ("calls", "counts"),
    [
        ([], SlotCounts(0, 0, 3)),
        ([Call("other", {"a": 1, "b": True, "c": ["x"]})], SlotCounts(2, 3, 3)),
        ([Call("f", {"a": 1.0}), Call("f", {"a": 1, "c": ["x", "y"]})], SlotCounts(1, 3, 3)),
    ],
)
def test_slots_are_labels_with_equal_values_and_an_array_is_one(calls: Any, counts: SlotCounts) -> None:
    assert count_slots(line("…", GoldCall("f", {"a": 1, "b": 1, "c": ["x"]})), calls) == counts


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ({"city": "nyc", "n": 2}, SlotCounts(2, 2, 2)),
        ({"city": "nyc", "n": 2, "near": "park"}, SlotCounts(3, 3, 3)),
        ({"city": "nyc", "near": "river"}, SlotCounts(1, 2, 2)),
    ],
)
def test_an_optional_argument_of_bfcl_is_not_missed(arguments: Any, counts: SlotCounts) -> None:
    assert count_slots(BFCL, [Call("find", arguments)]) == counts


def test_pairing_finds_the_largest_number_of_pairs() -> None:
    # A greedy pairing gives "a" to the first and leaves the second, which takes only "a", without.
    assert pair_off(["ab", "a"], ["a", "b"], lambda wants, item: item in wants) == 2


# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize(
    ("right", "wrong", "value"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1], [0.9], 0.0),
        ([0.5, 0.5], [0.5], 0.5),
        ([0.9, 0.4], [0.6, 0.4], 0.625),  # wins: .9>.6, .9>.4, .4=.4 (half), .4<.6 → 2.5 of 4
        ([], [0.4], None),
        ([0.4], [], None),
    ],
)
def test_auroc_is_the_share_of_pairs_in_the_right_order(
    right: list[float], wrong: list[float], value: float | None
) -> None:
    judged = [Judged(p, True) for p in right] + [Judged(p, False) for p in wrong]
    assert auroc(judged) == auroc(judged[::-1]) == value


def test_calibration_error_by_hand() -> None:
    # bins of 1/15: 0.90 and 0.92 share bin 13 ([.867, .933)); 0.2 lies in bin 3; 1.0 in the last.
    judged = [Judged(0.90, True), Judged(0.92, False), Judged(0.2, False), Judged(1.0, True)]
    assert [(held.answers, held.accuracy) for held in calibration(judged)] == [(1, 0.0), (2, 0.5), (1, 1.0)]
    assert calibration_error(judged) == pytest.approx((0.2 + 2 * 0.41 + 0.0) / 4)
    assert calibration_error([]) is None


def test_risk_coverage_lets_ties_enter_together() -> None:
    judged = [Judged(0.5, False), Judged(0.9, True), Judged(0.5, True), Judged(0.1, False)]
    assert risk_coverage(judged) == [(0.25, 0.0), (0.75, 1 / 3), (1.0, 0.5)]


@pytest.mark.parametrize(
    ("values", "p50", "p95", "middle"),
    [([], None, None, None), ([3], 3, 3, 3), ([4, 1, 3, 2], 2, 4, 2.5), (list(range(1, 101)), 50, 95, 50.5)],
)
def test_percentiles_are_values_that_occurred(values: list[float], p50: Any, p95: Any, middle: Any) -> None:
    assert (percentile(values, 50), percentile(values, 95), median(values)) == (p50, p95, middle)
