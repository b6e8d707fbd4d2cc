"""Runs one case against the real package: build, store, load, ask.

Knows the package's public API and the requests of the case files; what is right
is judged elsewhere.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from case_files import Case

from constrained_du.errors import ConstrainedDuError
from constrained_du.types import Call, Result, compact_json

T = TypeVar("T")

REQUEST_KEYS = (
    "entities",
    "expectations",
    "history",
    "now",
    "functions",
    "tool_choice",
    "max_calls",
    "n_best",
)
SAYABLE_KEYS = ("entities", "expectations", "now")


@dataclass
class Run:
    """What happened: the converter and result as far as it came, or the error and its stage."""

    case: Case
    converter: Any = None
    result: Result | None = None
    error: BaseException | None = None
    stage: str = ""
    warned: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def step(self, stage: str, do: Callable[[], T]) -> T:
        self.stage, start = stage, time.perf_counter()
        try:
            return do()
        finally:
            self.seconds[stage] = time.perf_counter() - start

    def accepts(self, call: Mapping[str, Any]) -> bool:
        given = {key: value for key, value in request(self.case).items() if key in SAYABLE_KEYS}
        return bool(self.converter.accepts(call, self.case["utterance"], **given))


def run_case(case: Case, model: str, directory: Path) -> Run:
    """Builds a converter as the case says and asks it; the error, if any, is in the run."""
    run = Run(case)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            run.converter = build(case, model, directory, run.step)
            if "utterance" in case:
                run.result = run.step("convert", lambda: ask(run.converter, case))
        except Exception as error:
            run.error = error
    run.warned = [str(item.message) for item in warned]
    return run


def _just_do(stage: str, do: Callable[[], T]) -> T:
    del stage
    return do()


def converter_class() -> Any:
    """The class under test; imported late, so that the files can be read without a model runtime."""
    from constrained_du import Converter

    return Converter


def build(
    case: Case, model: str, directory: Path, step: Callable[[str, Callable[[], Any]], Any] = _just_do
) -> Any:
    """The converter of a case, made, stored in ``directory`` and loaded from there."""
    fresh = prepare(case, model, step)
    step("finalize", lambda: fresh.finalize(str(directory)))
    return step("load_from_disk", lambda: converter_class().load_from_disk(str(directory)))


def prepare(case: Case, model: str, step: Callable[[str, Callable[[], Any]], Any] = _just_do) -> Any:
    """The converter of a case, before ``finalize``."""
    fresh = step("Converter", lambda: converter_class()(model))
    for specs in [case["specs"], *case.get("more_specs", [])]:
        step("add_function_specs", partial(fresh.add_function_specs, specs))
    if "exemplars" in case:
        step("add_exemplars", lambda: fresh.add_exemplars(case["exemplars"]))
    if "recognizers" in case:
        step("add_recognizers", lambda: fresh.add_recognizers(case["recognizers"]))
    return fresh


def ask(converter: Any, item: Mapping[str, Any]) -> Result:
    result: Result = converter.convert(item["utterance"], **request(item))
    return result


def request(item: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of ``convert``: lists for tuples and ISO text for times undone."""
    given = {key: item[key] for key in REQUEST_KEYS if key in item}
    if isinstance(given.get("entities"), dict):
        given["entities"] = {key: _tuples(spans) for key, spans in given["entities"].items()}
    if isinstance(given.get("expectations"), list):
        given["expectations"] = _tuples(given["expectations"])
    if isinstance(given.get("now"), str):
        with suppress(ValueError):  # a bad time is handed over as it is
            given["now"] = datetime.fromisoformat(given["now"].replace("Z", "+00:00"))
    return given


def _tuples(items: Any) -> Any:
    if not isinstance(items, list):
        return items
    return [tuple(item) if isinstance(item, list) else item for item in items]


def signature(result: Result) -> dict[str, Any]:
    """All that must not change between runs: calls with the order of their keys, scores, confidence."""
    return {
        "calls": [_call_text(call) for call in result.calls],
        "confidence": result.confidence,
        "alternatives": [
            [[_call_text(call) for call in other.calls], other.score, other.confidence]
            for other in result.alternatives
        ],
    }


def _call_text(call: Call) -> str:
    parts = [
        call.name,
        dict(call.arguments),
        {slot: list(span) for slot, span in call.spans.items()},
        {slot: [list(pair) for pair in pairs] for slot, pairs in call.operators.items()},
        list(call.missing),
        call.clarification,
        call.confidence,
    ]
    return compact_json(parts)


def answer_or_error(converter: Any, item: Mapping[str, Any]) -> dict[str, Any]:
    """The signature of an answer, or the class of the package's error."""
    try:
        return signature(ask(converter, item))
    except ConstrainedDuError as error:
        return {"error": type(error).__name__}
