"""Results as JSON for the faces of the server: calls, alternatives, evidence.

Knows results and links; nothing of how they came about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.links import link
from constrained_du.types import ABSENT, Call, Explanation, JsonValue, Result, Stats


def call_json(call: Call) -> dict[str, JsonValue]:
    return {
        "name": call.name,
        "arguments": dict(call.arguments),
        "spans": {slot: list(span) for slot, span in call.spans.items()},
        "operators": {slot: [list(pair) for pair in pairs] for slot, pairs in call.operators.items()},
        "missing": list(call.missing),
        "clarification": call.clarification,
        "confidence": call.confidence,
    }


def stats_json(stats: Stats) -> dict[str, JsonValue]:
    return {
        "tokens_evaluated": stats.tokens_evaluated,
        "forward_passes": stats.forward_passes,
        "seconds": stats.seconds,
    }


def result_json(result: Result, specs: Mapping[str, Mapping[str, Any]]) -> dict[str, JsonValue]:
    """All of a result, with links and the explanation."""
    return {
        "understood": result.understood,
        "confidence": result.confidence,
        "calls": [call_json(call) | {"link": _link(specs.get(call.name, {}), call)} for call in result.calls],
        "alternatives": [
            {
                "calls": [call_json(call) for call in other.calls],
                "score": other.score,
                "confidence": other.confidence,
            }
            for other in result.alternatives
        ],
        "stats": stats_json(result.stats),
        "explanation": _explanation(result.explain()),
    }


def _link(spec: Mapping[str, Any], call: Call) -> str | None:
    try:
        return link(spec, call)
    except SpecError:  # a template that cannot be expanded is no reason to withhold the call
        return None


def _explanation(explanation: Explanation) -> dict[str, JsonValue]:
    return {
        "decided_by": explanation.decided_by,
        "exemplar": explanation.exemplar,
        "functions": [dict(row) for row in explanation.functions],
        "slots": [
            {**row, "choices": [_choice(value, probability) for value, probability in row["choices"]]}
            for row in explanation.slots
        ],
    }


def _choice(value: JsonValue, probability: float) -> dict[str, JsonValue]:
    """Leaving the slot out is the choice without a value."""
    return {"probability": probability} | ({} if value is ABSENT else {"value": value})
