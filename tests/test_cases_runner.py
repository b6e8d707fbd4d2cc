"""The runner of the case files judges rightly: a wrong runner would hide a wrong package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from case_expect import judge, judge_same  # noqa: E402
from case_files import variants, write_out  # noqa: E402
from case_laws import check_laws  # noqa: E402
from case_run import Run, request  # noqa: E402

from constrained_du.errors import ExemplarError, InputError, UnsupportedSchemaError  # noqa: E402
from constrained_du.types import DO_NOT_UNDERSTAND, Alternative, Call, Result, Span  # noqa: E402


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"$repeat": ["ab", 3]}, "ababab"),
        ({"$join": ["a", {"$repeat": ["b", 2]}, "c"]}, "abbc"),
        ({"$copies": [2, "P {i:03d} {i}"]}, ["P 000 0", "P 001 1"]),
        ({"$copies": [2, {"n": "{i}", "t": {"$repeat": ["x", 2]}}]}, [{"n": n, "t": "xx"} for n in "01"]),
        ({"p": {"$properties": [2, "s{i}", {"x": 1}]}}, {"p": {"s0": {"x": 1}, "s1": {"x": 1}}}),
        ({"$nest": 0}, {"type": "boolean"}),
        ({"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}),
        ({"now": None, "text": "{i}"}, {"now": None, "text": "{i}"}),
    ],
)  # fmt: skip
def test_short_forms_are_written_out(short: Any, long: Any) -> None:
    assert write_out(short) == long


def test_nesting_of_any_depth_is_written_out() -> None:
    schema, depth = write_out({"$nest": 20_000}), 0
    while "properties" in schema:
        schema, depth = schema["properties"]["in"], depth + 1
    assert (schema, depth) == ({"type": "boolean"}, 20_000)


def test_a_varied_case_leaves_the_case_as_it_was() -> None:
    case: dict[str, Any] = {
        "specs": [{"enum": ["a"]}],
        "vary": {"pointer": "/specs/0/enum", "values": [["b"], {"$copies": [1, "c"]}]},
    }
    assert [variant["specs"][0]["enum"] for variant in variants(case)] == [["b"], ["c"]]
    assert case["specs"][0]["enum"] == ["a"]


def test_a_request_has_tuples_and_times_and_leaves_rubbish_alone() -> None:
    item = {
        "entities": {"a": [[0, 1], [0, 1, "x"]]},
        "expectations": [["s", "f"]],
        "now": "2023-07-11T09:00:00Z",
    }
    given = request(item)
    assert given["entities"] == {"a": [(0, 1), (0, 1, "x")]} and given["expectations"] == [("s", "f")]
    assert given["now"].isoformat() == "2023-07-11T09:00:00+00:00"
    rubbish = {"entities": "milk", "expectations": "milk", "now": "soon"}
    assert request(rubbish) == rubbish


class Sayable:
    """A converter that only knows which values of ``go.to`` are sayable."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def accepts(self, call: Mapping[str, Any], utterance: str, **given: Any) -> bool:
        if call["name"] == DO_NOT_UNDERSTAND:
            return True
        said = call["arguments"].get("to")
        return said is None or any(type(said) is type(value) and said == value for value in self.values)


SPECS = [
    {
        "name": "go",
        "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
    }
]


INTEGER = [{"name": "go", "parameters": {"properties": {"to": {"type": "integer"}}}}]


def ran(*calls: Call, error: Exception | None = None, stage: str = "convert", **case: Any) -> Run:
    answer = calls or (Call(DO_NOT_UNDERSTAND),)
    alternatives = (Alternative(answer, -0.5, 0.6),)
    result = None if error else Result(answer, 0.6, alternatives)
    whole = {"specs": SPECS, "utterance": "go to Rome", **case}
    return Run(whole, Sayable("Rome"), result, error, stage, ["required names no slot: ghost"])


ROME = Call("go", {"to": "Rome"}, {"to": Span(6, 10)})
NOWHERE = Call("go", missing=("to",), clarification="Where to?")
WHERE = {"name": "go", "arguments": {"to": "Rome"}}


@pytest.mark.parametrize(
    ("expect", "run", "right"),
    [
        ({"calls": [WHERE]}, ran(ROME), True),
        ({"calls": [WHERE]}, ran(ROME, ROME), False),
        ({"calls": [WHERE]}, ran(NOWHERE), False),
        ({"calls": [WHERE]}, ran(), False),
        ({"calls": [WHERE]}, ran(error=InputError("x")), False),
        ({"calls": [{"name": "go", "arguments": {}, "missing": ["to"]}]}, ran(NOWHERE), True),
        ({"calls": [{"name": "go", "arguments": {}, "missing": []}]}, ran(NOWHERE), False),
        ({"calls": [{"name": "f", "arguments": {"n": 1}}]}, ran(Call("f", {"n": True})), False),
        ({"calls": [{"name": "f", "arguments": {"n": 1}}]}, ran(Call("f", {"n": 1.0})), True),
        ({"do_not_understand": True}, ran(), True),
        ({"do_not_understand": True}, ran(ROME), False),
        ({"ok": True}, ran(), True),
        ({"ok": True}, ran(error=InputError("x")), False),
        ({"error": "InputError", "mentions": ["Milk"]}, ran(error=InputError("no milk")), True),
        ({"error": "InputError", "mentions": ["tea"]}, ran(error=InputError("no milk")), False),
        ({"any_of": [{"calls": [WHERE]}, {"do_not_understand": True}]}, ran(), True),
        ({"any_of": [{"calls": [WHERE]}, {"error": "InputError"}]}, ran(error=InputError("x")), True),
        ({"any_of": [{"calls": [WHERE]}, {"ok": True, "warns": ["nothing"]}]}, ran(), False),
        ({"do_not_understand": True, "never": [{"name": "go"}]}, ran(), True),
        ({"ok": True, "never": [{"name": "go", "arguments": {"to": "Rome"}}]}, ran(ROME), False),
        ({"ok": True, "never": [{"name": "go", "arguments": {"to": "Oslo"}}]}, ran(ROME), True),
        ({"ok": True, "never": [{"has": ["to"]}]}, ran(ROME), False),
        ({"ok": True, "never": [{"has": ["to"]}]}, ran(NOWHERE), True),
        ({"accept_values": ["Rome"], "reject_values": ["rome", "Oslo"]}, ran(), True),
        ({"accept_values": ["Oslo"]}, ran(), False),
        ({"reject_values": ["Rome"]}, ran(), False),
        ({"accept_text": ['"Rome"'], "reject_text": ["1e999", '"\\ud83d"']}, ran(), True),
        ({"accept_calls": [WHERE, {"name": "go", "arguments": {}}]}, ran(), True),
        ({"reject_calls": [WHERE]}, ran(), False),
        ({"reach": [WHERE]}, ran(ROME), True),
        ({"reach": [WHERE]}, ran(), False),
        ({"ok": True, "order": ["a", "b"]}, ran(Call("f", {"a": 1, "b": 2})), True),
        ({"ok": True, "order": ["b", "a"]}, ran(Call("f", {"a": 1, "b": 2})), False),
        ({"ok": True, "max_length": {"to": 4}}, ran(ROME), True),
        ({"ok": True, "max_length": {"to": 3}}, ran(ROME), False),
        ({"calls_at_most": 1}, ran(ROME, ROME), False),
        ({"ok": True, "warns": ["Ghost"]}, ran(), True),
        ({"ok": True, "warns": ["banshee"]}, ran(), False),
        ({"sings": True}, ran(), False),
    ],
)
def test_each_form_of_expectation_is_judged(expect: Any, run: Run, right: bool) -> None:
    assert (judge(expect, run) == []) is right


@pytest.mark.parametrize(
    ("wanted", "stage", "right"),
    [
        ("SpecError", "add_function_specs", True),
        ("UnsupportedSchemaError", "finalize", True),
        ("ExemplarError", "add_function_specs", False),
        ("SpecError", "convert", False),
    ],
)
def test_an_error_is_of_the_class_or_a_subclass_and_in_time(wanted: str, stage: str, right: bool) -> None:
    run = ran(error=UnsupportedSchemaError("$", "no such keyword"), stage=stage)
    assert (judge({"error": wanted}, run) == []) is right
    assert issubclass(UnsupportedSchemaError, Exception) and not issubclass(
        UnsupportedSchemaError, ExemplarError
    )


@pytest.mark.parametrize(
    ("kind", "runs", "right"),
    [
        ("answer", [ran(ROME), ran(ROME)], True),
        ("answer", [ran(ROME), ran()], False),
        ("answer", [ran(ROME), ran(error=InputError("x"))], False),
        ("error", [ran(ROME), ran()], True),
        ("error", [ran(error=InputError("x")), ran(error=InputError("y"))], True),
        ("error", [ran(error=InputError("x")), ran(error=ExemplarError("x"))], False),
        ("error", [ran(error=InputError("x")), ran()], False),
    ],
)
def test_same_means_the_same_for_all_variants(kind: str, runs: list[Run], right: bool) -> None:
    assert (judge_same(kind, runs) == []) is right


@pytest.mark.parametrize(
    ("run", "word"),
    [
        (ran(ROME), None),
        (ran(NOWHERE), None),
        (ran(), None),
        (ran(error=InputError("x")), None),
        (ran(error=KeyError("x")), "not the package's own"),
        (ran(Call("fly")), "unknown function"),
        (ran(Call("go", {"to": "Rome", "at": 5}, {"to": Span(6, 10)})), "unknown slots ['at']"),
        (ran(Call("go")), "missing is []"),
        (ran(Call("go", missing=("to",))), "clarification"),
        (ran(Call("go", {"to": "Rome"})), "its span None"),
        (ran(Call("go", {"to": "Rome"}, {"to": Span(0, 2)})), "its span"),
        (ran(Call("go", {"to": "Oslo"}, {"to": Span(6, 10)})), "not sayable"),
        (ran(ROME, Call(DO_NOT_UNDERSTAND)), "not alone"),
        (ran(Call("go", {"to": 4.0}), specs=INTEGER), "no int"),
    ],
)
def test_the_laws_are_checked_on_every_answer(run: Run, word: str | None) -> None:
    reasons = check_laws(run)
    assert (reasons == []) if word is None else any(word in reason for reason in reasons), reasons


PACKAGE = """
__path__.append({real!r})
import os, time
from constrained_du.errors import *
from constrained_du.types import Alternative, Call, Result

class Converter:
    def __init__(self, model): pass
    def add_function_specs(self, specs): pass
    def finalize(self, path): pass
    @classmethod
    def load_from_disk(cls, path): return cls("")
    def accepts(self, call, utterance): return True
    def convert(self, utterance):
        if utterance == "die": os._exit(3)
        if utterance == "hang": time.sleep(60)
        print("noise of a library")
        calls = (Call("do_not_understand"),)
        return Result(calls, 0.5, (Alternative(calls, -0.7, 0.5),))
"""


def test_a_case_that_dies_or_hangs_costs_itself_alone(tmp_path: Path) -> None:
    package = tmp_path / "package" / "constrained_du"
    package.mkdir(parents=True)
    real = str(BENCHMARKS.parent / "constrained_du")
    (package / "__init__.py").write_text(PACKAGE.format(real=real))
    cases = tmp_path / "cases"
    cases.mkdir()
    common: dict[str, Any] = {
        "title": "t",
        "source": "s",
        "why": "w",
        "check": "D",
        "specs": [{"name": "f"}],
        "expect": {"ok": True},
    }
    texts = {"a": "hi", "b": "die", "c": "hang", "d": "hi"}
    rows = [{**common, "id": id, "utterance": text} for id, text in texts.items()]
    rows[2]["timeout"] = 3
    rows += [
        {**common, "id": "e", "check": "S", "utterance": "die"},
        {**common, "id": "f", "expect": {"inside": True}},
    ]
    (cases / "x.json").write_text(json.dumps(rows))
    out = tmp_path / "out.json"
    command = [sys.executable, str(BENCHMARKS / "cases.py"), "--cases", str(cases), "--json", str(out)]
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    verdicts = {row["id"]: (row["status"], *row["reasons"]) for row in json.loads(out.read_text())}
    assert done.returncode == 1
    assert verdicts["a"] == verdicts["d"] == ("right",)
    assert verdicts["b"][0] == verdicts["e"][0] == "wrong" and "died with 3" in verdicts["b"][1]
    assert verdicts["c"] == ("wrong", "not done after 3 s")
    assert verdicts["f"][0] == "inside"
    assert "D: 2 of 4 right (50.0%)" in done.stdout and "S: 0 of 1 right" in done.stdout


def test_without_case_files_the_runner_says_so(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "cases.py"), "--cases", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no case files" in done.stderr and "Traceback" not in done.stderr
