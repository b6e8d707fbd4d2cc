"""Laws and hand-computed figures of the evaluation; no model, scripted converters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from constrained_du.errors import ContextOverflowError, InputError
from constrained_du.evaluation import (
    GoldCall,
    Line,
    Report,
    SlotCounts,
    evaluate,
    json_equal,
    read_lines,
    suggest,
    unsuggested,
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
from constrained_du.evaluation.table import progress_bar
from constrained_du.types import DO_NOT_UNDERSTAND, Call, Result, Span, Stats

REFUSAL = Call(DO_NOT_UNDERSTAND)


@dataclass
class Scripted:
    """A converter that knows its answers; a call is sayable unless it is in ``unsayable``."""

    answers: Mapping[str, Result | Exception]
    unsayable: Sequence[Mapping[str, Any]] = ()
    asked: list[dict[str, Any]] = field(default_factory=list)

    def convert(self, utterance: str, **given: Any) -> Result:
        self.asked.append({"utterance": utterance, **given})
        answer = self.answers[utterance]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def accepts(self, call: Any, utterance: str, **given: Any) -> bool:
        return not any(json_equal(call, other) for other in self.unsayable)


def answer(*calls: Call, p: float = 0.5, tokens: int = 0, passes: int = 0, ms: float = 0.0) -> Result:
    return Result(calls or (REFUSAL,), p, stats=Stats(tokens, passes, ms / 1000))


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


# ---------------------------------------------------------------- a run

RUN = [
    line("wake me at 7", GoldCall("alarm", {"time": "7"}), id="a-1"),
    line("wake me at 8", GoldCall("alarm", {"time": "8"}), id="a-2"),
    line("play jazz", GoldCall("play", {"genre": "jazz"}), id="a-3", history=("hi",)),
    line("stop", GoldCall("stop"), id="b-1"),
    line("thanks", id="b-2"),
    line("lovely weather", id="b-3"),
    line("so long", GoldCall("stop"), id="b-4"),
]
ANSWERS: dict[str, Result | Exception] = {
    "wake me at 7": answer(Call("alarm", {"time": "7"}), p=0.9, tokens=10, passes=2, ms=10),
    "wake me at 8": answer(Call("alarm", {"time": "at 8"}), p=0.6, tokens=20, passes=2, ms=20),
    "play jazz": answer(Call("alarm", {"genre": "jazz"}), p=0.8, tokens=30, passes=2, ms=30),
    "stop": answer(p=0.4, tokens=40, passes=2, ms=40),
    "thanks": answer(p=0.7, tokens=50, passes=4, ms=50),
    "lovely weather": answer(Call("play", {"genre": "lovely"}), p=0.3, tokens=60, passes=6, ms=60),
    "so long": ContextOverflowError("too long"),
}


@pytest.fixture
def report() -> Report:
    unsayable = [
        {"name": "alarm", "arguments": {"time": "8"}},
        {"name": "alarm", "arguments": {"genre": "jazz"}},
    ]
    return evaluate(Scripted(ANSWERS, unsayable), RUN)


def test_every_figure_of_a_small_run_by_hand(report: Report) -> None:
    facts = report.figures.to_json()
    assert facts == {
        "lines": 7,
        "errors": 1,
        "exact": {"rate": 2 / 7, "count": 2, "of": 7},  # "wake me at 7" and "thanks"
        "strict": {"rate": 2 / 7, "count": 2, "of": 7},
        "function": {"rate": 2 / 5, "count": 2, "of": 5},  # both alarms; the error counts against it
        "do_not_understand_recall": {"rate": 1 / 2, "count": 1, "of": 2},
        "do_not_understand_precision": {"rate": 1 / 2, "count": 1, "of": 2},  # "stop" was refused too
        "wrong_but_valid": {"rate": 3 / 7, "count": 3, "of": 7},
        "valid": {"rate": 5 / 6, "count": 5, "of": 6},
        "sayable": {"rate": 5 / 6, "count": 5, "of": 6},
        # said: 7 | at 8 | jazz | - | - | lovely; right: 7, jazz; to be said: 7, 8, jazz
        "slots": {"precision": 2 / 4, "recall": 2 / 3, "f1": 4 / 7, "right": 2, "said": 4, "gold": 3},
        # right .9 .7, wrong .6 .8 .4 .3: .9 beats 4, .7 beats 3 → 7/8; among calls: .9 beats 3 of 3
        "auroc": {"value": 7 / 8, "of_calls": 1.0, "right": 2, "wrong": 4},
        "calibration_error": {
            # every answer has a bin of its own
            "value": pytest.approx((0.1 + 0.6 + 0.8 + 0.4 + 0.3 + 0.3) / 6),
            "count": 6,
        },
        "latency_ms": {"p50": 30.0, "p95": 60.0, "count": 6},
        "tokens_evaluated": {"mean": 35.0, "median": 35.0, "count": 6},
        "forward_passes": {"mean": 3.0, "median": 2.0, "count": 6},
    }


def test_groups_are_categories_and_facets_that_part_the_lines(report: Report) -> None:
    exact = {name: (group.exact.right, group.exact.of) for name, group in report.groups.items()}
    assert exact == {
        "a": (1, 3),
        "b": (1, 4),
        "expects a call": (1, 5),
        "not: expects a call": (1, 2),
        "intent alone (no arguments)": (0, 2),
        "not: intent alone (no arguments)": (2, 5),
        "later turn (history)": (0, 1),
        "not: later turn (history)": (2, 6),
    }


def test_confusion_counts_functions_refusals_and_errors(report: Report) -> None:
    assert dict(report.confusion) == {
        ("alarm", "alarm"): 2,
        ("play", "alarm"): 1,
        ("stop", DO_NOT_UNDERSTAND): 1,
        (DO_NOT_UNDERSTAND, DO_NOT_UNDERSTAND): 1,
        (DO_NOT_UNDERSTAND, "play"): 1,
        ("stop", "(error)"): 1,
    }


def test_the_report_as_json_is_the_same_bytes_for_the_same_run(report: Report) -> None:
    again = evaluate(Scripted(ANSWERS, report_unsayable()), RUN)
    assert report.to_text() == again.to_text()
    read = json.loads(report.to_text())
    assert read["settings"] == {"operators": False, "max_calls": {"a": 1, "b": 1}}
    assert read["outcomes"][6] == {
        "id": "b-4",
        "place": "",
        "utterance": "so long",
        "expected": [{"name": "stop", "arguments": {}}],
        "answered": [],
        "error": "ContextOverflowError: too long",
        "right": False,
        "strict": False,
        "confidence": 0.0,
        "valid": None,
        "sayable": None,
    }


def report_unsayable() -> list[dict[str, Any]]:
    return [
        {"name": "alarm", "arguments": {"time": "8"}},
        {"name": "alarm", "arguments": {"genre": "jazz"}},
    ]


@pytest.mark.parametrize(
    ("thresholds", "failures"),
    [
        ("exact=0.28", []),
        ("exact=0.8,function=0.4", ["exact is 0.2857, below 0.8"]),
        (" slot_f1 = 0.6 , ece=0.05", ["slot_f1 is 0.5714, below 0.6", "ece is 0.4167, above 0.05"]),
        ("wrong=0.43, p95=60, errors=0, auroc=0.875", ["errors is 1, above 0"]),
    ],
)
def test_thresholds_say_what_failed(report: Report, thresholds: str, failures: list[str]) -> None:
    assert report.fail_under(thresholds) == failures


@pytest.mark.parametrize("bad", ["", "exact", "exact=", "exactly=0.8", "exact=0.8,", "exact=nan"])
def test_a_threshold_that_cannot_be_read_is_an_input_error(report: Report, bad: str) -> None:
    with pytest.raises(InputError, match="name=number"):
        report.fail_under(bad)


def test_a_figure_with_nothing_to_count_fails_its_threshold() -> None:
    run = evaluate(Scripted({"hi": answer()}), [line("hi")])
    assert run.fail_under("function=0.1") == [
        "function has nothing to count in these lines (0.1 was asked for)"
    ]


def test_the_table_shows_figures_with_their_counts(report: Report) -> None:
    out = StringIO()
    Console(file=out, width=100).print(report.table())
    rows = {row.split("│")[1].strip(): row for row in out.getvalue().splitlines() if "│" in row}
    assert "0.286" in rows["exact call"] and "2/7" in rows["exact call"]
    assert "0.875" in rows["AUROC of confidence"] and "2 right, 4 wrong" in rows["AUROC of confidence"]
    assert "30.0 / 60.0" in rows["latency p50 / p95, ms"]
    assert "not: expects a call" in rows


def test_each_line_is_asked_with_what_it_holds_and_progress_is_told() -> None:
    asked = line(
        "to Rome",
        entities={"city": [(3, 7)]},
        expectations=(("city", "go"),),
        history=("hi",),
        now=datetime(2023, 7, 11),
        functions=("go",),
    )
    converter, told = Scripted({"to Rome": answer(), "hi": answer()}), []
    evaluate(converter, [asked, line("hi")], lambda done, total: told.append((done, total)))
    assert converter.asked[0] == {
        "utterance": "to Rome",
        "entities": {"city": [(3, 7)]},
        "expectations": (("city", "go"),),
        "history": ("hi",),
        "now": datetime(2023, 7, 11),
        "functions": ("go",),
        "max_calls": 1,
    }
    assert converter.asked[1]["entities"] is None
    assert told == [(1, 2), (2, 2)]


def test_several_calls_are_allowed_to_all_lines_of_a_category_or_to_none() -> None:
    lines = [
        line("a", GoldCall("f"), id="bfcl-parallel_1"),
        line("b", GoldCall("f"), GoldCall("f"), id="bfcl-parallel_2"),
        line("c", GoldCall("f"), id="bfcl-simple_1"),
    ]
    converter = Scripted(dict.fromkeys("abc", answer()))
    assert evaluate(converter, lines).max_calls == {"bfcl-parallel": 8, "bfcl-simple": 1}
    assert [asked["max_calls"] for asked in converter.asked] == [8, 8, 1]
    assert evaluate(converter, lines, max_calls=3).max_calls == {"bfcl-parallel": 3, "bfcl-simple": 3}


def test_a_line_with_specs_of_its_own_gets_a_converter_of_its_own() -> None:
    gold = GoldCall("find", {"city": "New York"})
    own = line("in new york", gold, specs=({"name": "find"},), answers=(GoldCall("find", {"city": ["NYC"]}),))
    made: list[Any] = []

    def make(specs: Sequence[Any]) -> Scripted:
        made.append(specs)
        return Scripted({"in new york": answer(Call("find", {"city": "nyc"}))})

    run = evaluate(None, [own], make_converter=make)
    assert made == [({"name": "find"},)]
    assert (run.figures.exact.right, run.figures.strict.right) == (1, 0)
    without = evaluate(None, [own, line("hi")])
    assert [item.error and item.error.split(":")[0] for item in without.outcomes] == ["InputError"] * 2


def test_a_right_answer_that_cannot_be_said_is_told_apart_argument_by_argument_in_bfcl() -> None:
    own = line(
        "flights to new york",
        GoldCall("fly", {"to": "JFK"}),
        answers=(GoldCall("fly", {"to": ["JFK", "New York"], "by": ["", "air"]}),),
    )

    @dataclass
    class OnlyVerbatim(Scripted):
        def accepts(self, call: Any, utterance: str, **given: Any) -> bool:
            return all(value in utterance for value in call["arguments"].values())

    sayable = evaluate(OnlyVerbatim({own.utterance: answer()}), [own]).figures.sayable
    assert sayable.rate == 1.0  # "new york" of the utterance is "New York" to the benchmark
    strict = line(own.utterance, *own.calls)
    assert evaluate(OnlyVerbatim({own.utterance: answer()}), [strict]).figures.sayable.rate == 0.0


def test_a_bug_of_the_converter_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        evaluate(Scripted({"hi": ZeroDivisionError()}), [line("hi")])


def test_the_progress_bar_can_be_handed_to_a_run() -> None:
    with progress_bar(Console(file=StringIO())) as told:
        assert evaluate(Scripted({"hi": answer()}), [line("hi")], told).figures.exact.right == 1


# ---------------------------------------------------------------- the fix loop


@dataclass
class ByExemplar:
    """Answers by exemplars alone: a real, tiny engine for the fix loop.

    What matches an exemplar gets its function and slots, except what matches a negation;
    everything else gets ``guess``.
    """

    guess: Mapping[str, Result]
    exemplars: list[tuple[str, str, str]] = field(default_factory=list)

    def add_exemplars(self, groups: Sequence[Mapping[str, Any]]) -> None:
        for group in groups:
            self.exemplars += [(group["funcId"], row["type"], row["utterance"]) for row in group["exemplars"]]

    def convert(self, utterance: str, **given: Any) -> Result:
        for function, kind, template in self.exemplars:
            pattern = re.sub(r"<\\ (\w+)\\ >", r"(?P<\1>.+?)", re.escape(template))
            found = re.fullmatch(pattern, utterance)
            if found:
                return answer(Call(function, found.groupdict())) if kind == "implies" else answer()
        return self.guess[utterance]

    def accepts(self, call: Any, utterance: str, **given: Any) -> bool:
        return True


FIXABLE = [
    line("wake me at 7 please", GoldCall("alarm", {"time": "7"})),
    line("put on some jazz", GoldCall("play", {"genre": "jazz"})),
    line("put on some blues", GoldCall("play", {"genre": "blues"})),
    line("thanks a lot", id="thanks"),
    line("stop", GoldCall("stop")),
    line("book Rome to Rome Sud", GoldCall("book", {"from": "Rome", "to": "Rome Sud"})),
]
GUESSES = {
    "wake me at 7 please": answer(Call("play", {"genre": "7"})),
    "put on some jazz": answer(Call("play", {"genre": "some jazz"})),
    "put on some blues": answer(Call("play", {"genre": "some blues"})),
    "thanks a lot": answer(Call("play")),
    "stop": answer(Call("stop")),
    "book Rome to Rome Sud": answer(),
}


def test_suggestions_are_opencui_exemplars_merged_per_function() -> None:
    suggested = suggest(evaluate(ByExemplar(GUESSES), FIXABLE))
    assert suggested == [
        {"funcId": "alarm", "exemplars": [{"type": "implies", "utterance": "wake me at < time > please"}]},
        {
            "funcId": "play",
            "exemplars": [
                {"type": "implies", "utterance": "put on some < genre >"},
                {"type": "negation", "utterance": "thanks a lot"},
            ],
        },
        {"funcId": "book", "exemplars": [{"type": "implies", "utterance": "book < from > to < to >"}]},
    ]
    assert json.loads(json.dumps(suggested)) == suggested


def test_adding_the_suggestions_fixes_the_mistakes_and_breaks_nothing() -> None:
    converter = ByExemplar(GUESSES)
    before = evaluate(converter, FIXABLE)
    converter.add_exemplars(suggest(before))
    after = evaluate(converter, FIXABLE)
    assert (before.figures.exact.right, after.figures.exact.right) == (1, 6)
    assert suggest(after) == [] and unsuggested(after) == []


@pytest.mark.parametrize(
    ("mistake", "reason"),
    [
        (line("7 pm", GoldCall("alarm", {"time": "7 pm"})), "all of it is a value"),
        (line("wake me soon", GoldCall("alarm", {"time": "7"})), "'time' does not stand in the utterance"),
        (line("wake me at 17", GoldCall("alarm", {"time": "7"})), "'time' does not stand in the utterance"),
        (line("lamp on", GoldCall("lamp", {"on": True})), "'on' does not stand in the utterance"),
        (line("both", GoldCall("lamp"), GoldCall("stop")), "several calls"),
        (line("own", GoldCall("lamp"), specs=({"name": "lamp"},)), "functions of its own"),
        (line("any day", GoldCall("go", {}, {"day": (("dontcare", None),)})), "operator"),
        (line("stop the music", GoldCall("alarm", {"time": "music"})), "'stop the lamp'"),
        (line("Stop the lamp!"), "'stop the lamp'"),
        (line("long"), "an error"),
    ],
)
def test_what_no_exemplar_would_fix_is_said_with_its_reason(mistake: Line, reason: str) -> None:
    good = line("stop the lamp", GoldCall("lamp_off", {"x": "lamp"}))
    answers: dict[str, Result | Exception] = {
        "stop the lamp": answer(Call("lamp_off", {"x": "lamp"})),
        "long": ContextOverflowError("too long"),
    }
    answers.setdefault(mistake.utterance, answer(Call("lamp_off")))
    make = lambda specs: Scripted(answers)  # noqa: E731
    run = evaluate(Scripted(answers), [good, mistake], make_converter=make)
    assert suggest(run) == []
    ((outcome, why),) = unsuggested(run)
    assert outcome.line == mistake and reason in why


@pytest.mark.parametrize(
    ("mistake", "template"),
    [
        (
            line(
                "bedroom lamp in bedroom on",
                GoldCall("turn_on", {"area": "Bedroom", "name": "Lamp 1"}),
                entities={"area": [(0, 7, "Bedroom"), (16, 23, "Bedroom")], "name": [(0, 12, "Lamp 1")]},
            ),
            "< name > in < area > on",
        ),
        (line("明日の京都の天気は？", GoldCall("weather", {"city": "京都"})), "明日の< city >の天気は？"),
        (line("table  for 4\nat 4", GoldCall("book", {"n": 4, "at": "4"})), "table for < n > at < at >"),
        (line("3 of 13", GoldCall("f", {"n": 3})), "< n > of 13"),
    ],
)
def test_values_are_found_where_they_stand(mistake: Line, template: str) -> None:
    (group,) = suggest(evaluate(Scripted({mistake.utterance: answer()}), [mistake]))
    assert group["exemplars"] == [{"type": "implies", "utterance": template}]


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize("functions", [3, 40])
def test_plots_are_written_as_png(tmp_path: Path, functions: int) -> None:
    plots = pytest.importorskip("constrained_du.plots", reason="group plots")
    pytest.importorskip("matplotlib")
    lines = [line(f"do {n}", GoldCall(f"f{n % functions}")) for n in range(80)]
    answers = {f"do {n}": answer(Call(f"f{n * 7 % functions}"), p=n / 80, ms=n) for n in range(80)}
    paths = plots.draw(evaluate(Scripted(answers), lines), tmp_path / "new" / "plots")
    assert [path.name for path in paths] == [
        "confusion.png",
        "reliability.png",
        "risk-coverage.png",
        "latency.png",
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_plots_into_a_place_that_is_a_file_are_an_input_error(tmp_path: Path) -> None:
    plots = pytest.importorskip("constrained_du.plots")
    pytest.importorskip("matplotlib")
    (tmp_path / "file").write_text("")
    run = evaluate(Scripted({"hi": answer()}), [line("hi")])
    with pytest.raises(InputError, match="file"):
        plots.draw(run, tmp_path / "file")


def test_spans_do_not_overlap_is_what_placing_relies_on() -> None:
    assert Span(0, 3).overlaps(Span(2, 4)) and not Span(0, 2).overlaps(Span(2, 4))
