"""For each mistake, the exemplar that would have prevented it, ready to paste.

Works on a report alone. A suggestion is made only where it can be right: every
expected value stands in the utterance, some word of it is no value, and the
exemplar matches no line that was answered well otherwise. What is left out, and
why, is ``unsuggested``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from constrained_du.evaluation.lines import GoldCall, Line
from constrained_du.evaluation.match import json_equal
from constrained_du.evaluation.report import Outcome, Report
from constrained_du.types import JsonValue, Span

_SLOT = re.compile(r"< ([^<>]+) >")


@dataclass(frozen=True, slots=True)
class _Exemplar:
    """OpenCUI's ``implies`` (this is the function) or ``negation`` (this is not it)."""

    function: str
    kind: str
    utterance: str


def suggest(report: Report) -> list[dict[str, JsonValue]]:
    """OpenCUI's exemplars for the report's mistakes, merged per function in order of appearance."""
    merged: dict[str, list[dict[str, JsonValue]]] = {}
    for _, found in _judge(report):
        for exemplar in found if isinstance(found, list) else ():
            row: dict[str, JsonValue] = {"type": exemplar.kind, "utterance": exemplar.utterance}
            rows = merged.setdefault(exemplar.function, [])
            if row not in rows:
                rows.append(row)
    return [{"funcId": function, "exemplars": rows} for function, rows in merged.items()]


def unsuggested(report: Report) -> list[tuple[Outcome, str]]:
    """The mistakes that no exemplar would fix, each with the reason."""
    return [(outcome, found) for outcome, found in _judge(report) if isinstance(found, str)]


def _judge(report: Report) -> Iterator[tuple[Outcome, list[_Exemplar] | str]]:
    right = [outcome for outcome in report.outcomes if outcome.right]
    for outcome in report.mistakes:
        yield outcome, _exemplars(outcome, right)


def _exemplars(outcome: Outcome, right: Sequence[Outcome]) -> list[_Exemplar] | str:
    """The exemplars that fix one mistake, or why there are none."""
    line = outcome.line
    if outcome.error is not None:
        return "an error, not a misunderstanding"
    if line.specs is not None:
        return "the line has functions of its own"
    if not line.calls:
        return _negations(outcome, right)
    if len(line.calls) > 1:
        return "an exemplar has one function, the line several calls"
    gold = line.calls[0]
    if gold.operators:
        return "an exemplar cannot say an operator"
    spans = place_values(line, gold)
    absent = [slot for slot in gold.arguments if slot not in spans]
    if absent:
        return f"the value of {absent[0]!r} does not stand in the utterance"
    template = _tidy(write_template(line.utterance, spans))
    if not any(char.isalnum() for char in _SLOT.sub("", template)):
        return "all of it is a value: give expectations"
    hit = next((item.line for item in right if _contradicts(template, gold, item.line)), None)
    return _would_break(hit) if hit else [_Exemplar(gold.name, "implies", template)]


def _negations(outcome: Outcome, right: Sequence[Outcome]) -> list[_Exemplar] | str:
    """What was answered is not meant: one exemplar for each function that was called."""
    text = _tidy(outcome.line.utterance)
    names = dict.fromkeys(call.name for call in outcome.calls)
    for item in right:
        if _matches(text, item.line.utterance) and any(gold.name in names for gold in item.line.calls):
            return _would_break(item.line)
    return [_Exemplar(name, "negation", text) for name in names]


def _would_break(line: Line) -> str:
    return f"it would also match {line.utterance!r} ({line.place or line.id}), which was right"


def place_values(line: Line, gold: GoldCall) -> dict[str, Span]:
    """Where each expected value stands: the line's entities first, then the text; no two overlap.

    As many as possible are placed, longer values first. Values that stand nowhere are
    left out, and so are booleans, null, arrays and objects, which are no span.
    """
    ranked = sorted(gold.arguments.items(), key=lambda item: -len(_text(item[1]) or ""))
    places = {slot: tuple(_occurrences(line, gold.name, slot, value)) for slot, value in ranked}
    return _spread({slot: spans[:MOST_PLACES] for slot, spans in places.items() if spans})


MOST_PLACES = 4
"""Places tried for one value: bounds the search where a short value stands everywhere."""


def _spread(places: Mapping[str, Sequence[Span]]) -> dict[str, Span]:
    """The largest choice of one span a slot without overlaps; the earlier slot and place win."""
    if not places:
        return {}
    (slot, spans), *others = places.items()
    best: dict[str, Span] = {}
    for span in spans:
        free = {name: [place for place in rest if not place.overlaps(span)] for name, rest in others}
        found = {slot: span} | _spread({name: rest for name, rest in free.items() if rest})
        if len(found) == len(places):
            return found
        best = max(best, found, key=len)
    return max(best, _spread(dict(others)), key=len)


def write_template(utterance: str, spans: Mapping[str, Span]) -> str:
    """The utterance with each span replaced by ``< slot >``."""
    for slot, span in sorted(spans.items(), key=lambda item: -item[1].start):
        utterance = f"{utterance[: span.start]}< {slot} >{utterance[span.end :]}"
    return utterance


def _occurrences(line: Line, function: str, slot: str, value: JsonValue) -> Iterator[Span]:
    text = _text(value)
    if text is None:
        return
    entities = line.entities or {}
    own = [key for key in (f"{function}.{slot}", slot) if key in entities]
    for key in own or entities:
        for start, end, *canonical in entities[key]:
            surface = line.utterance[start:end]
            if json_equal(value, canonical[0]) if canonical else text == surface:
                yield Span(start, end)
    pattern = re.escape(text) if _is_unspaced(text) else rf"(?<!\w){re.escape(text)}(?!\w)"
    for match in re.finditer(pattern, line.utterance):
        yield Span(*match.span())


def _text(value: JsonValue) -> str | None:
    """How a value would stand in an utterance: strings and numbers only."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) or None


def _is_unspaced(text: str) -> bool:
    """Scripts without blanks between words: any character may begin one."""
    return any(
        "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char > "\U0001ffff" for char in text
    )


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _contradicts(template: str, gold: GoldCall, line: Line) -> bool:
    """The template would also match ``line``, which wants another function or other slots."""
    if not _matches(template, line.utterance):
        return False
    if len(line.calls) != 1 or line.calls[0].name != gold.name:
        return True
    return line.calls[0].arguments.keys() != gold.arguments.keys()


def _matches(template: str, utterance: str) -> bool:
    """As an exemplar matches: any words for a slot; case, blanks and final punctuation aside."""
    parts = _SLOT.split(re.sub(r"[\s.!?]+$", "", template))
    pattern = "".join(re.escape(part) if index % 2 == 0 else "(.+?)" for index, part in enumerate(parts))
    return re.fullmatch(rf"{pattern}[\s.!?]*", _tidy(utterance), re.IGNORECASE) is not None
