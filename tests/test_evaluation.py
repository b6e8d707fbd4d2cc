"""A run over scripted converters: every figure computed by hand; pictures of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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
    evaluate,
    json_equal,
    plots,
)
from constrained_du.evaluation.table import progress_bar
from constrained_du.types import DO_NOT_UNDERSTAND, Call, Result, Stats

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
        "refused_or_incomplete": {"rate": 1 / 2, "count": 1, "of": 2},
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


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize("functions", [3, 40])
def test_plots_are_written_as_png(tmp_path: Path, functions: int) -> None:
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
    (tmp_path / "file").write_text("")
    run = evaluate(Scripted({"hi": answer()}), [line("hi")])
    with pytest.raises(InputError, match="file"):
        plots.draw(run, tmp_path / "file")


def test_a_question_for_what_is_missing_is_no_complete_call() -> None:
    waiting, whole = Call("alarm", missing=("time",)), Call("alarm", {"time": "7"})
    answers = {"hm": answer(waiting), "thanks": answer(), "oh": answer(whole)}
    figures = evaluate(Scripted(answers), [line(text) for text in answers]).figures
    assert figures.do_not_understand_recall.right == 1 and figures.refused_or_incomplete.right == 2
