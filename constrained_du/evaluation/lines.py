"""Labelled lines: one JSON object a line, read strictly into frozen values.

Knows the file format and nothing about scoring. A line that is wrong is an
``InputError`` that names ``file:line``; an unknown key is wrong too, since a
misspelt ``entities`` would only show as a bad figure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from constrained_du.errors import InputError
from constrained_du.types import DO_NOT_UNDERSTAND, JsonValue

Operators: TypeAlias = Mapping[str, tuple[tuple[str, JsonValue], ...]]


@dataclass(frozen=True, slots=True)
class GoldCall:
    """A call that was expected; ``operators`` in the contract's form, by slot."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    operators: Operators = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance with what was expected. ``calls`` empty means ``do_not_understand``.

    ``specs`` are the functions of this line alone. ``answers`` holds for each expected
    call the list of acceptable values of each argument (the BFCL's form; ``""`` among
    them: may be left out). ``place`` is ``file:line``.
    """

    utterance: str
    calls: tuple[GoldCall, ...]
    id: str = ""
    entities: Mapping[str, Sequence[tuple[JsonValue, ...]]] | None = None
    expectations: tuple[tuple[str, str], ...] | None = None
    history: tuple[str, ...] | None = None
    now: datetime | None = None
    functions: tuple[str, ...] | None = None
    specs: tuple[JsonValue, ...] | None = None
    answers: tuple[GoldCall, ...] | None = None
    place: str = ""

    @property
    def category(self) -> str:
        """The id up to its first number: ``bfcl-live_simple_10-3`` is of ``bfcl-live_simple``."""
        return re.split(r"(?:^|[-_])\d", self.id, maxsplit=1)[0]


def read_lines(path: str | Path) -> list[Line]:
    """All lines of the file at ``path``; blank lines are skipped, an empty file is an error."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error} - give a UTF-8 file, one object a line") from error
    rows = [(number, row) for number, row in enumerate(text.split("\n"), 1) if row.strip()]
    if not rows:
        raise InputError(f"no lines in {path} - write one JSON object with utterance and calls a line")
    return [_read_line(row, f"{path}:{number}") for number, row in rows]


def _read_line(row: str, place: str) -> Line:
    try:
        raw = json.loads(row, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{error} @ {place} - each line is one JSON object") from error
    reader = _Reader(place)
    found = reader.object(raw, "the line")
    for key in found:
        if key not in _FIELDS:
            reader.fail(f"unknown key {key!r}", f"use {', '.join(_FIELDS)}")
    for key in ("utterance", "calls"):
        if key not in found:
            reader.fail(f"no {key!r}", "every line needs utterance and calls")
    values = {key: _FIELDS[key](reader, value) for key, value in found.items()}
    line = Line(place=place, **values)
    _check_together(reader, line)
    return line


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_together(reader: _Reader, line: Line) -> None:
    """What holds between keys: spans inside the utterance, one answer for each call."""
    for key, spans in (line.entities or {}).items():
        for span in spans:
            if not 0 <= span[0] < span[1] <= len(line.utterance):
                remedy = f"give [start, end) inside the {len(line.utterance)} code points of the utterance"
                reader.fail(f"entities[{key!r}] {list(span)} is no span", remedy)
    if line.answers is not None and len(line.answers) != len(line.calls):
        problem = f"{len(line.answers)} answers for {len(line.calls)} calls"
        reader.fail(problem, "give one answer for each call")


class _Reader:
    """Checks shapes and raises with the place; one method for each shape."""

    def __init__(self, place: str) -> None:
        self.place = place

    def fail(self, problem: str, remedy: str) -> NoReturn:
        raise InputError(f"{problem} @ {self.place} - {remedy}")

    def text(self, value: JsonValue, what: str) -> str:
        if not isinstance(value, str):
            self.fail(f"{what} is {_short(value)}", "give a string")
        return value

    def object(self, value: JsonValue, what: str) -> dict[str, JsonValue]:
        if not isinstance(value, dict):
            self.fail(f"{what} is {_short(value)}", "give an object")
        return value

    def list(self, value: JsonValue, what: str) -> list[JsonValue]:
        if not isinstance(value, list):
            self.fail(f"{what} is {_short(value)}", "give a list")
        return value

    def texts(self, value: JsonValue, what: str) -> tuple[str, ...]:
        return tuple(self.text(item, f"an item of {what}") for item in self.list(value, what))

    def pair(self, value: JsonValue, what: str) -> tuple[str, str]:
        texts = self.texts(value, what)
        if len(texts) != 2:
            self.fail(f"{what} is {_short(value)}", "give [slot, function]")
        return texts[0], texts[1]

    def span(self, value: JsonValue, what: str) -> tuple[JsonValue, ...]:
        parts = self.list(value, what)
        if len(parts) not in (2, 3) or any(type(part) is not int for part in parts[:2]):
            self.fail(f"{what} is {_short(value)}", "give [start, end] or [start, end, value]")
        return tuple(parts)


def _short(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _read_calls(reader: _Reader, value: JsonValue) -> tuple[GoldCall, ...]:
    calls = tuple(_read_call(reader, item) for item in reader.list(value, "calls"))
    if len(calls) == 1 and calls[0].name == DO_NOT_UNDERSTAND:
        return ()
    if any(call.name == DO_NOT_UNDERSTAND for call in calls):
        reader.fail(f"{DO_NOT_UNDERSTAND} beside other calls", "it is an answer of its own: calls is []")
    return calls


def _read_call(reader: _Reader, value: JsonValue) -> GoldCall:
    found = reader.object(value, "a call")
    for key in found:
        if key not in ("name", "arguments", "operators"):
            reader.fail(f"unknown key {key!r} in a call", "use name, arguments, operators")
    operators = reader.object(found.get("operators", {}), "operators")
    return GoldCall(
        name=reader.text(found.get("name"), "a call's name"),
        arguments=reader.object(found.get("arguments", {}), "arguments"),
        operators={slot: _read_operator(reader, slot, item) for slot, item in operators.items()},
    )


def _read_operator(reader: _Reader, slot: str, value: JsonValue) -> tuple[tuple[str, JsonValue], ...]:
    """``"dontcare"`` is short for ``[["dontcare", null]]``."""
    if isinstance(value, str):
        return ((value, None),)
    pairs = reader.list(value, f"operators[{slot!r}]")
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            reader.fail(f"operators[{slot!r}] has {_short(pair)}", "give [operator, value]")
    return tuple((pair[0], pair[1]) for pair in pairs)


def _read_answers(reader: _Reader, value: JsonValue) -> tuple[GoldCall, ...]:
    answers = tuple(_read_call(reader, item) for item in reader.list(value, "answers"))
    for answer in answers:
        for slot, accepted in answer.arguments.items():
            reader.list(accepted, f"answers: {slot!r}")
    return answers


def _read_entities(reader: _Reader, value: JsonValue) -> Mapping[str, Sequence[tuple[JsonValue, ...]]]:
    return {
        key: [reader.span(span, f"entities[{key!r}]") for span in reader.list(spans, f"entities[{key!r}]")]
        for key, spans in reader.object(value, "entities").items()
    }


def _read_expectations(reader: _Reader, value: JsonValue) -> tuple[tuple[str, str], ...]:
    return tuple(reader.pair(item, "an expectation") for item in reader.list(value, "expectations"))


def _read_now(reader: _Reader, value: JsonValue) -> datetime:
    text = reader.text(value, "now")
    try:
        # Python 3.10 does not read the Z that ISO 8601 and everybody else writes.
        return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    except ValueError:
        reader.fail(f"now is {text!r}", "give ISO 8601, such as 2023-07-11T09:00:00")


_FIELDS: Mapping[str, Callable[[_Reader, Any], Any]] = {
    "id": lambda reader, value: reader.text(value, "id"),
    "utterance": lambda reader, value: reader.text(value, "utterance"),
    "entities": _read_entities,
    "expectations": _read_expectations,
    "history": lambda reader, value: reader.texts(value, "history"),
    "now": _read_now,
    "functions": lambda reader, value: reader.texts(value, "functions"),
    "specs": lambda reader, value: tuple(reader.list(value, "specs")),
    "answers": _read_answers,
    "calls": _read_calls,
}
