"""Asks a converter every line and scores what it answers.

A failure of the package on a line is kept as an error of that line, so that one
overflow does not lose an hour's run; it counts as wrong and is reported. Any other
exception is a bug and comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from constrained_du.errors import ConstrainedDuError, InputError
from constrained_du.evaluation.lines import GoldCall, Line
from constrained_du.evaluation.match import LEFT_OUT, count_slots, has_right_functions, is_exact, is_right
from constrained_du.evaluation.report import Outcome, Report
from constrained_du.types import DO_NOT_UNDERSTAND, JsonValue, Result

SEVERAL_CALLS = 8
"""``max_calls`` for a category in which some line expects several calls: more than any line of
the sets here (4), and the same for all of the category, so that no line gives its number away."""


class Understands(Protocol):
    """What is evaluated: a ``Converter``, or anything that answers like one."""

    def convert(
        self,
        utterance: str,
        *,
        entities: Any = None,
        expectations: Any = None,
        history: Any = None,
        now: Any = None,
        functions: Any = None,
        max_calls: int = 1,
    ) -> Result: ...

    def accepts(
        self, call: Any, utterance: str, *, entities: Any = None, expectations: Any = None, now: Any = None
    ) -> bool: ...


MakeConverter: TypeAlias = Callable[[Sequence[JsonValue]], Understands]


def evaluate(
    converter: Understands | None,
    lines: Sequence[Line],
    progress: Callable[[int, int], None] | None = None,
    *,
    max_calls: int | None = None,
    make_converter: MakeConverter | None = None,
    operators: bool = False,
    check: bool = True,
) -> Report:
    """The report of ``converter`` on ``lines``.

    A line with its own ``specs`` is asked of ``make_converter(specs)``. ``max_calls``:
    None means 1, and 8 for categories in which a line expects several. ``operators``
    says that the converter was made with them, so that they count. ``check`` asks
    ``accepts`` whether each answer is valid and each right answer sayable (no model
    is evaluated). ``progress(done, total)`` is called after every line.
    """
    limits = _limits(lines, max_calls)
    outcomes = []
    for done, line in enumerate(lines, 1):
        outcomes.append(_ask(converter, make_converter, line, limits[line.category], operators, check))
        if progress is not None:
            progress(done, len(lines))
    return Report(tuple(outcomes), operators, limits)


def _limits(lines: Iterable[Line], max_calls: int | None) -> dict[str, int]:
    limits: dict[str, int] = {}
    for line in lines:
        wanted = max_calls or (SEVERAL_CALLS if len(line.calls) > 1 else 1)
        limits[line.category] = max(wanted, limits.get(line.category, 1))
    return limits


def _ask(
    converter: Understands | None,
    make_converter: MakeConverter | None,
    line: Line,
    max_calls: int,
    operators: bool,
    check: bool,
) -> Outcome:
    try:
        du = _converter_for(line, converter, make_converter)
        result = du.convert(
            line.utterance,
            **_bound(line),
            history=line.history,
            functions=line.functions,
            max_calls=max_calls,
        )
        outcome = score(line, result, operators)
        if not check:
            return outcome
        return _checked(du, outcome)
    except ConstrainedDuError as error:
        return Outcome(line, error=f"{type(error).__name__}: {error}", slots=count_slots(line, ()))


def _converter_for(
    line: Line, converter: Understands | None, make_converter: MakeConverter | None
) -> Understands:
    if line.specs is not None:
        if make_converter is None:
            raise InputError(f"{line.place or line.id!r} has its own specs - give make_converter=")
        return make_converter(line.specs)
    if converter is None:
        raise InputError(f"{line.place or line.id!r} has no specs of its own - give a converter")
    return converter


def _bound(line: Line) -> dict[str, Any]:
    """What says which values are sayable."""
    return {"entities": line.entities, "expectations": line.expectations, "now": line.now}


def score(line: Line, result: Result, operators: bool = False) -> Outcome:
    """The verdicts on one answer."""
    calls = tuple(call for call in result.calls if call.name != DO_NOT_UNDERSTAND)
    return Outcome(
        line,
        calls=calls,
        confidence=result.confidence,
        stats=result.stats,
        right=is_right(line, calls, operators),
        strict=is_exact(line, calls, operators),
        right_functions=has_right_functions(line, calls),
        slots=count_slots(line, calls),
    )


def _checked(du: Understands, outcome: Outcome) -> Outcome:
    valid = all(_says(du, outcome.line, call.name, call.arguments) for call in outcome.calls)
    return replace(outcome, valid=valid, sayable=outcome.right or is_sayable(du, outcome.line))


def is_sayable(du: Understands, line: Line) -> bool:
    """A right answer could be said: each call as a whole, or, with ``answers``, each argument by itself.

    The latter is a ceiling: values that exclude each other count as sayable.
    """
    if line.answers is None:
        return all(_says(du, line, gold.name, gold.arguments) for gold in line.calls)
    return all(
        any(_says(du, line, answer.name, {slot: value}) for value in _forms(line, gold, slot, accepted))
        for answer, gold in zip(line.answers, line.calls, strict=True)
        for slot, accepted in answer.arguments.items()
        if LEFT_OUT not in accepted
    )


def _forms(line: Line, gold: GoldCall, slot: str, accepted: Iterable[JsonValue]) -> list[JsonValue]:
    """Values that would be accepted: as listed, as expected, and as spelt in the utterance."""
    forms = [value for value in accepted if not isinstance(value, Mapping)]
    if slot in gold.arguments:
        forms.append(gold.arguments[slot])
    folded = line.utterance.lower()
    for text in [value for value in forms if isinstance(value, str)]:
        start = folded.find(text.lower())
        if start >= 0 and len(folded) == len(line.utterance):
            forms.append(line.utterance[start : start + len(text)])
    return forms


def _says(du: Understands, line: Line, name: str, arguments: Mapping[str, JsonValue]) -> bool:
    return du.accepts({"name": name, "arguments": dict(arguments)}, line.utterance, **_bound(line))
