"""What is said about a run: figures with counts, groups, mistakes, thresholds.

Knows outcomes and arithmetic; how they came about and how they are drawn is
elsewhere (``run``, ``table``, ``plots``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from constrained_du.errors import InputError
from constrained_du.evaluation.figures import (
    Judged,
    Share,
    SlotCounts,
    auroc,
    calibration_error,
    mean,
    median,
    percentile,
)
from constrained_du.evaluation.lines import Line
from constrained_du.types import DO_NOT_UNDERSTAND, Call, JsonValue, Stats

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line, what was answered, and the verdicts.

    ``calls`` is empty for ``do_not_understand``. ``error`` is the text of the
    package's error when there was no answer: never right, and never a refusal.
    ``right`` uses the line's ``answers`` where it has some, ``strict`` its ``calls``.
    ``valid``: every call of the answer is sayable; ``sayable``: a right answer could
    be said at all (the ceiling). None where it was not asked.
    """

    line: Line
    calls: tuple[Call, ...] = ()
    confidence: float = 0.0
    stats: Stats = Stats()
    error: str | None = None
    right: bool = False
    strict: bool = False
    right_functions: bool = False
    slots: SlotCounts = SlotCounts()
    valid: bool | None = None
    sayable: bool | None = None

    @property
    def refused(self) -> bool:
        return self.error is None and not self.calls

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "id": self.line.id,
            "place": self.line.place,
            "utterance": self.line.utterance,
            "expected": [_call_json(gold.name, gold.arguments, gold.operators) for gold in self.line.calls],
            "answered": [_call_json(call.name, call.arguments, call.operators) for call in self.calls],
            "error": self.error,
            "right": self.right,
            "strict": self.strict,
            "confidence": self.confidence,
            "valid": self.valid,
            "sayable": self.sayable,
        }


def _call_json(name: str, arguments: Mapping[str, Any], operators: Mapping[str, Iterable[Any]]) -> JsonValue:
    call: dict[str, JsonValue] = {"name": name, "arguments": dict(arguments)}
    if operators:
        call["operators"] = {slot: [list(pair) for pair in pairs] for slot, pairs in operators.items()}
    return call


@dataclass(frozen=True)
class Figures:
    """The contract's figures over some outcomes; None or ``of == 0`` where there is nothing to count."""

    outcomes: Sequence[Outcome]

    @cached_property
    def exact(self) -> Share:
        """Answers that are wholly right (lines with ``answers``: as the BFCL compares)."""
        return Share.of_flags(item.right for item in self.outcomes)

    @cached_property
    def strict(self) -> Share:
        """Answers equal to ``calls``, on every line."""
        return Share.of_flags(item.strict for item in self.outcomes)

    @cached_property
    def function(self) -> Share:
        """The functions are the right ones, among lines that expect a call."""
        return Share.of_flags(item.right_functions for item in self.outcomes if item.line.calls)

    @cached_property
    def do_not_understand_recall(self) -> Share:
        return Share.of_flags(item.refused for item in self.outcomes if not item.line.calls)

    @cached_property
    def refused_or_incomplete(self) -> Share:
        """No complete call was returned, among lines that expect none: refused, or answered by a question for what is missing."""
        called = (item.refused or any(call.missing for call in item.calls) for item in self.outcomes if not item.line.calls)
        return Share.of_flags(called)

    @cached_property
    def do_not_understand_precision(self) -> Share:
        return Share.of_flags(not item.line.calls for item in self.outcomes if item.refused)

    @cached_property
    def wrong_but_valid(self) -> Share:
        """A call was returned and it is not the right one, among all lines."""
        return Share.of_flags(bool(item.calls) and not item.right for item in self.outcomes)

    @cached_property
    def valid(self) -> Share:
        """Answers whose calls are all sayable for their utterance, by ``accepts``."""
        return Share.of_flags(item.valid for item in self.outcomes if item.valid is not None)

    @cached_property
    def sayable(self) -> Share:
        """Lines whose right answer can be said at all: no model gets more of them right."""
        return Share.of_flags(item.sayable for item in self.outcomes if item.sayable is not None)

    @cached_property
    def slots(self) -> SlotCounts:
        return sum((item.slots for item in self.outcomes), SlotCounts())

    @cached_property
    def judged(self) -> list[Judged]:
        """Confidence and rightness of every answer; errors gave none."""
        return [Judged(item.confidence, item.right) for item in self.outcomes if item.error is None]

    @cached_property
    def auroc(self) -> float | None:
        return auroc(self.judged)

    @cached_property
    def auroc_of_calls(self) -> float | None:
        """The same among the answers that are calls: what a caller who must act wants to know."""
        return auroc([Judged(item.confidence, item.right) for item in self.outcomes if item.calls])

    @cached_property
    def calibration_error(self) -> float | None:
        return calibration_error(self.judged)

    @cached_property
    def milliseconds(self) -> list[float]:
        return [item.stats.seconds * 1000 for item in self.outcomes if item.error is None]

    @property
    def errors(self) -> int:
        return sum(item.error is not None for item in self.outcomes)

    def _cost(self, name: str) -> dict[str, JsonValue]:
        values = [getattr(item.stats, name) for item in self.outcomes if item.error is None]
        return {"mean": mean(values), "median": median(values), "count": len(values)}

    def to_json(self) -> dict[str, JsonValue]:
        right = sum(item.right for item in self.judged)
        counts = {"right": right, "wrong": len(self.judged) - right}
        return {
            "lines": len(self.outcomes),
            "errors": self.errors,
            "exact": self.exact.to_json(),
            "strict": self.strict.to_json(),
            "function": self.function.to_json(),
            "do_not_understand_recall": self.do_not_understand_recall.to_json(),
            "refused_or_incomplete": self.refused_or_incomplete.to_json(),
            "do_not_understand_precision": self.do_not_understand_precision.to_json(),
            "wrong_but_valid": self.wrong_but_valid.to_json(),
            "valid": self.valid.to_json(),
            "sayable": self.sayable.to_json(),
            "slots": self.slots.to_json(),
            "auroc": {"value": self.auroc, "of_calls": self.auroc_of_calls, **counts},
            "calibration_error": {"value": self.calibration_error, "count": len(self.judged)},
            "latency_ms": {
                "p50": percentile(self.milliseconds, 50),
                "p95": percentile(self.milliseconds, 95),
                "count": len(self.milliseconds),
            },
            "tokens_evaluated": self._cost("tokens_evaluated"),
            "forward_passes": self._cost("forward_passes"),
        }


_THRESHOLDS: Mapping[str, tuple[bool, Callable[[Figures], float | None]]] = {
    # name: (more is better, the figure)
    "exact": (True, lambda f: f.exact.rate),
    "strict": (True, lambda f: f.strict.rate),
    "function": (True, lambda f: f.function.rate),
    "do_not_understand": (True, lambda f: f.do_not_understand_recall.rate),
    "precision": (True, lambda f: f.do_not_understand_precision.rate),
    "valid": (True, lambda f: f.valid.rate),
    "auroc": (True, lambda f: f.auroc),
    "slot_precision": (True, lambda f: f.slots.precision),
    "slot_recall": (True, lambda f: f.slots.recall),
    "slot_f1": (True, lambda f: f.slots.f1),
    "wrong": (False, lambda f: f.wrong_but_valid.rate),
    "ece": (False, lambda f: f.calibration_error),
    "errors": (False, lambda f: float(f.errors)),
    "p50": (False, lambda f: percentile(f.milliseconds, 50)),
    "p95": (False, lambda f: percentile(f.milliseconds, 95)),
}
"""What ``--fail-under`` knows. Of the last five less is better: there the bound is an upper one."""


@dataclass(frozen=True)
class Report:
    """All outcomes of a run in the order of the lines, and what can be said about them.

    ``operators``: whether operators counted. ``max_calls``: what was asked for, by category.
    """

    outcomes: tuple[Outcome, ...]
    operators: bool = False
    max_calls: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def figures(self) -> Figures:
        return Figures(self.outcomes)

    @cached_property
    def groups(self) -> dict[str, Figures]:
        """The same figures by category of the id and by what a line holds, where that parts the lines."""
        groups: dict[str, list[Outcome]] = {}
        for item in self.outcomes:
            groups.setdefault(item.line.category or "(no id)", []).append(item)
        for name, holds in _FACETS.items():
            groups[name] = [item for item in self.outcomes if holds(item.line)]
            groups[f"not: {name}"] = [item for item in self.outcomes if not holds(item.line)]
        total = len(self.outcomes)
        parted = {name: items for name, items in groups.items() if 0 < len(items) < total}
        return {name: Figures(items) for name, items in parted.items()}

    @property
    def mistakes(self) -> list[Outcome]:
        return [item for item in self.outcomes if not item.right]

    @cached_property
    def confusion(self) -> Counter[tuple[str, str]]:
        """How often (expected functions, answered functions) occurred; several are joined by ``+``."""
        return Counter(
            (_names(item.line.calls), "(error)" if item.error is not None else _names(item.calls))
            for item in self.outcomes
        )

    def fail_under(self, thresholds: str) -> list[str]:
        """What is worse than ``"exact=0.8,function=0.9"`` allows, one sentence each.

        Names: exact, strict, function, do_not_understand, precision, valid, auroc,
        slot_precision, slot_recall, slot_f1 (at least); wrong, ece, errors, p50, p95
        (milliseconds; at most). A figure with nothing to count fails.
        """
        bounds = [_read_threshold(part) for part in thresholds.split(",")]
        return [failure for name, bound in bounds if (failure := self._failure(name, bound))]

    def _failure(self, name: str, bound: float) -> str | None:
        more_is_better, figure = _THRESHOLDS[name]
        value = figure(self.figures)
        if value is None:
            return f"{name} has nothing to count in these lines ({bound:g} was asked for)"
        if value >= bound if more_is_better else value <= bound:
            return None
        return f"{name} is {value:.4g}, {'below' if more_is_better else 'above'} {bound:g}"

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "settings": {"operators": self.operators, "max_calls": dict(self.max_calls)},
            "figures": self.figures.to_json(),
            "groups": {name: figures.to_json() for name, figures in self.groups.items()},
            "confusion": [
                {"expected": expected, "answered": answered, "count": count}
                for (expected, answered), count in self.confusion.most_common()
            ],
            "outcomes": [item.to_json() for item in self.outcomes],
        }

    def to_text(self) -> str:
        """``to_json`` as text; equal reports are equal bytes."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n"

    def table(self) -> RenderableType:
        """The figures and groups for a terminal."""
        from constrained_du.evaluation.table import render

        return render(self)


_FACETS: Mapping[str, Callable[[Line], bool]] = {
    "expects a call": lambda line: bool(line.calls),
    "several calls": lambda line: len(line.calls) > 1,
    "intent alone (no arguments)": lambda line: bool(line.calls) and not any(c.arguments for c in line.calls),
    "answers a question (expectations)": lambda line: bool(line.expectations),
    "later turn (history)": lambda line: bool(line.history),
    "candidates given (entities)": lambda line: line.entities is not None,
    "has operators": lambda line: any(call.operators for call in line.calls),
}
"""What parts the lines of a set beside their ids: the data does not say which turns only give
a value, but those that answer a question and those without any argument can be told."""


def _names(calls: Iterable[Any]) -> str:
    return "+".join(call.name for call in calls) or DO_NOT_UNDERSTAND


def _read_threshold(part: str) -> tuple[str, float]:
    name, _, bound = (piece.strip() for piece in part.partition("="))
    try:
        number = float(bound)
    except ValueError:
        number = float("nan")
    if name not in _THRESHOLDS or number != number:
        raise InputError(f"threshold {part!r} - write name=number, with one of {', '.join(_THRESHOLDS)}")
    return name, number
