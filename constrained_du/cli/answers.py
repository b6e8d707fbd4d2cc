"""An answer as text: JSON for programs, a picture of the utterance with its spans for people.

Knows results and links; nothing of how they came about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.cells import cell_len

from constrained_du.converter import Converter
from constrained_du.links import link
from constrained_du.types import ABSENT, Call, Explanation, JsonValue, Result, Span, compact_json


def to_json(result: Result, links: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, JsonValue]:
    """One answer as JSON; ``alternatives`` where more than one was asked for, ``link`` where wanted."""
    answer: dict[str, JsonValue] = {
        "calls": [_call_json(call, links) for call in result.calls],
        "understood": result.understood,
        "confidence": result.confidence,
        "stats": {
            "tokens_evaluated": result.stats.tokens_evaluated,
            "forward_passes": result.stats.forward_passes,
            "seconds": result.stats.seconds,
        },
    }
    if len(result.alternatives) > 1:
        answer["alternatives"] = [
            {
                "calls": [_call_json(call, links) for call in other.calls],
                "score": other.score,
                "confidence": other.confidence,
            }
            for other in result.alternatives
        ]
    return answer


def explanation_json(explanation: Explanation) -> dict[str, JsonValue]:
    """``explain()`` as JSON; leaving a slot out is a choice without ``value``."""
    slots = [{**row, "choices": [_choice_json(*choice) for choice in row["choices"]]} for row in explanation.slots]
    return {
        "decided_by": explanation.decided_by,
        "exemplar": explanation.exemplar,
        "functions": [dict(row) for row in explanation.functions],
        "slots": slots,
    }


def _choice_json(value: JsonValue, probability: float) -> dict[str, JsonValue]:
    return {"probability": probability} if value is ABSENT else {"value": value, "probability": probability}


def _call_json(call: Call, links: Mapping[str, Mapping[str, Any]] | None) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {
        "name": call.name,
        "arguments": dict(call.arguments),
        "spans": {slot: list(span) for slot, span in call.spans.items()},
        "missing": list(call.missing),
        "clarification": call.clarification,
        "confidence": call.confidence,
        "operators": {slot: [list(pair) for pair in pairs] for slot, pairs in call.operators.items()},
    }
    if links is not None:
        written["link"] = link(links.get(call.name, {}), call)
    return written


def link_templates(converter: Converter) -> dict[str, Mapping[str, Any]]:
    """The specs by label: what ``link`` looks into."""
    return {spec["label"]: spec for spec in converter.specs}


def brief(result: Result) -> str:
    """All calls on one line, as a programmer would write them."""
    return "; ".join(written(call) for call in result.calls)


def written(call: Call) -> str:
    values = [f"{slot}={compact_json(value)}" for slot, value in call.arguments.items()]
    for slot, pairs in call.operators.items():
        values += [f"{slot} {operator} {compact_json(value)}" for operator, value in pairs]
    return f"{call.name}({', '.join(values)})"


def picture(utterance: str, result: Result, links: Mapping[str, Mapping[str, Any]] | None = None) -> Iterator[str]:
    """Lines for a person: the utterance with its spans underlined, then what was understood."""
    shown = "".join(letter if letter.isprintable() else " " for letter in utterance)
    yield f"  {shown}"
    underline = _underline(shown, [span for call in result.calls for span in call.spans.values()])
    if underline:
        yield f"  {underline}"
    for call in result.calls:
        yield f"    {written(call)}"
        if call.spans:
            said = (f"{slot} “{shown[start:end]}” {start}:{end}" for slot, (start, end) in call.spans.items())
            yield f"    said: {', '.join(said)}"
        if call.missing:
            yield f"    missing: {', '.join(call.missing)}"
        if call.clarification:
            yield f"    ask: {call.clarification}"
        if links is not None and (address := link(links.get(call.name, {}), call)) is not None:
            yield f"    link: {address}"
    yield f"    confidence {result.confidence:.2f}, {_cost(result)}"


def _cost(result: Result) -> str:
    stats = result.stats
    tokens = f"{stats.tokens_evaluated} token{'' if stats.tokens_evaluated == 1 else 's'}"
    return f"{stats.seconds * 1000:.0f} ms, {tokens} evaluated"


def _underline(text: str, spans: list[Span]) -> str:
    """A line of marks below the spans, as wide as their letters are on a terminal."""
    marked = {position for span in spans for position in range(span.start, span.end)}
    marks = ("‾" if position in marked else " " for position in range(len(text)))
    return "".join(mark * cell_len(letter) for mark, letter in zip(marks, text, strict=True)).rstrip()
