"""The laws that every answer keeps, whatever its case expects.

Reads the case's specs only as far as they are plain (a name and properties); what
cannot be read so, such as a ``$ref``, is not checked here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from case_run import Run

from constrained_du.errors import ConstrainedDuError
from constrained_du.evaluation import json_equal
from constrained_du.types import DO_NOT_UNDERSTAND, Call, Result

NOT_PLAIN = frozenset({"enum", "const", "format", "x-value", "anyOf", "oneOf", "allOf", "$ref"})
"""A string property with one of these is not a verbatim span of the utterance."""


def check_laws(run: Run) -> list[str]:
    """Which laws the answer breaks; also whether an error is not the package's own."""
    if run.error is not None and not isinstance(run.error, ConstrainedDuError):
        return [f"{type(run.error).__name__} in {run.stage} is not the package's own: {str(run.error)[:200]}"]
    broken = [
        f"{stage} took {run.seconds[stage]:.1f} s, at most {most} are allowed"
        for stage, most in run.case.get("limits", {}).items()
        if run.seconds.get(stage, 0) > most
    ]
    if run.result is not None:
        broken += _of_result(run, run.result)
    return broken


def _of_result(run: Run, result: Result) -> Iterator[str]:
    if not result.calls:
        yield "calls is empty"
    if not 0 <= result.confidence <= 1:
        yield f"confidence is {result.confidence}"
    yield from _of_alternatives(run, result)
    yield from _of_openai(result)
    specs = _plain_specs(run.case["specs"], *run.case.get("more_specs", []))
    for call in result.calls:
        if call.name == DO_NOT_UNDERSTAND:
            if len(result) != 1 or call.arguments or call.missing:
                yield "do_not_understand is not alone and empty"
        elif specs is not None:
            yield from _of_call(run, call, specs)
        yield from _of_sayable(run, call)


def _of_alternatives(run: Run, result: Result) -> Iterator[str]:
    scores = [other.score for other in result.alternatives]
    if scores != sorted(scores, reverse=True):
        yield f"alternatives are not best first: {scores}"
    if not 1 <= len(scores) <= run.case.get("n_best", 1):
        yield f"{len(scores)} alternatives for n_best={run.case.get('n_best', 1)}"
    if any(not 0 <= other.confidence <= 1 for other in result.alternatives):
        yield "an alternative's confidence is outside [0, 1]"


def _of_openai(result: Result) -> Iterator[str]:
    said = [
        (call["function"]["name"], call["function"]["arguments"]) for call in result.to_openai()["tool_calls"]
    ]
    same = len(said) == len(result) and all(
        name == call.name and json_equal(json.loads(arguments), call.arguments)
        for (name, arguments), call in zip(said, result, strict=True)
    )
    if not same:
        yield f"to_openai() is not the calls: {said}"


def _of_sayable(run: Run, call: Call) -> Iterator[str]:
    try:
        sayable = run.accepts({"name": call.name, "arguments": dict(call.arguments)})
    except Exception as error:
        yield f"accepts(the answer) raised {type(error).__name__}: {error}"
        return
    if not sayable:
        yield f"the answer is not sayable: {call.to_json()}"


def _of_call(run: Run, call: Call, specs: Mapping[str, Mapping[str, Any] | None]) -> Iterator[str]:
    if call.name not in specs:
        yield f"unknown function {call.name!r}"
        return
    parameters = specs[call.name]
    if parameters is None:
        return
    properties: Mapping[str, Any] = parameters.get("properties", {})
    named = [*call.arguments, *call.spans, *call.operators, *call.missing]
    unknown = [slot for slot in named if not _is_slot(slot, properties)]
    if unknown:
        yield f"unknown slots {unknown}"
    required = [slot for slot in parameters.get("required", []) if slot in properties]
    missing = {slot for slot in required if slot not in call.arguments and slot not in call.operators}
    if set(call.missing) != missing or len(set(call.missing)) != len(call.missing):
        yield f"missing is {list(call.missing)}, wanted {sorted(missing)}"
    if bool(call.clarification) != bool(missing):
        yield f"clarification is {call.clarification!r} while missing is {list(call.missing)}"
    for slot, value in call.arguments.items():
        if slot in properties:
            yield from _of_value(run, call, slot, value, properties[slot])


def _is_slot(path: str, properties: Mapping[str, Any]) -> bool:
    """A slot, or a path inside one (``guests[0]``, ``address.city``)."""
    return path in properties or any(path.startswith((f"{slot}[", f"{slot}.")) for slot in properties)


def _of_value(run: Run, call: Call, slot: str, value: Any, schema: Any) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    if schema.get("type") == "integer" and not NOT_PLAIN & schema.keys() and type(value) is not int:
        yield f"{slot} is {value!r}, no int"
    if schema.get("type") != "string" or NOT_PLAIN & schema.keys():
        return
    if run.case.get("entities") or run.case.get("recognizers") or run.case.get("expectations"):
        return  # a supplied candidate may have a canonical value
    span = call.spans.get(slot)
    text = run.case["utterance"]
    if span is None or text[span[0] : span[1]] != value:
        yield f"{slot} is {value!r}, its span {span} is {text[span[0] : span[1]] if span else None!r}"


def _plain_specs(*groups: Any) -> dict[str, Mapping[str, Any] | None] | None:
    """Parameters by name, None for those that are not plain; None where the specs are another shape."""
    found: dict[str, Mapping[str, Any] | None] = {}
    for group in groups:
        for spec in group if isinstance(group, list) else [group]:
            if isinstance(spec, Mapping) and isinstance(spec.get("function"), Mapping):
                spec = spec["function"]
            if not isinstance(spec, Mapping) or not isinstance(spec.get("label", spec.get("name")), str):
                return None
            parameters = spec.get("parameters", {})
            plain = isinstance(parameters, Mapping) and not NOT_PLAIN & parameters.keys()
            found[spec.get("label", spec.get("name"))] = parameters if plain else None
    return found
