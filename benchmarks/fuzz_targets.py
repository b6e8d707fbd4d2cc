"""What is fuzzed: one function for each way into the package, from bytes to an answer or an error.

A target raises what the package raises beyond its own errors, and ``Broken`` where an answer
breaks a promise. Models are scripted (``tests/scripted_world.py``); everything else is real.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from fuzz_data import Data
from fuzz_files import artifacts, gguf
from fuzz_http import http
from fuzz_world import EXEMPLARS, OTHER_EXEMPLARS, RECOGNIZERS, SPECS, UTTERANCES, Broken, World

from constrained_du import Converter
from constrained_du.domain.requests import read_request
from constrained_du.domain.sayable import is_sayable
from constrained_du.errors import ConstrainedDuError
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf, to_lark, to_regex
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.sources.files import parse_json
from constrained_du.sources.yaml_text import parse_yaml
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.types import DO_NOT_UNDERSTAND, Result


def _document(world: World, data: Data) -> Any:
    match data.below(8):
        case 0:
            return parse_json(data.rest().decode("utf-8", "surrogatepass" if data.below(2) else "replace"), "$")
        case 1:
            return parse_yaml(data.rest().decode("utf-8", "replace"), "$")
        case 2:
            return data.thing()
        case 3:
            return data.changed(SPECS, odd=True)
        case _:
            return data.changed([data.pick(world.specs)])


def specs(world: World, data: Data) -> None:
    document = _document(world, data)
    free = bool(data.below(2))
    functions = read_specs(document, strings_free=free)
    if data.below(8):
        return
    domain_of = Converter("scripted", strings="free" if free else "verbatim").add_function_specs(document)
    if domain_of.labels != tuple(function.label for function in functions):
        raise Broken("two readings of one document differ")
    grammar = domain_of.grammar(data.pick(UTTERANCES), max_calls=1 + data.below(2))
    for write in (to_gbnf, to_lark, to_regex):
        try:
            write(grammar)
        except ConstrainedDuError:
            continue


def exemplars(world: World, data: Data) -> None:
    if data.below(3) == 0:
        document = data.changed(RECOGNIZERS, odd=bool(data.below(2)))
        recognizers, _ = read_recognizers(document)
        for recognizer in recognizers.values():
            for found in recognizer.find(data.pick(UTTERANCES) + data.text()):
                if found.start >= found.end:
                    raise Broken(f"an empty find: {found}")
        return
    document = data.thing() if data.below(6) == 0 else data.changed(data.pick((EXEMPLARS, OTHER_EXEMPLARS)), odd=bool(data.below(2)))
    slots = world.domain.slots_of
    for exemplar in read_exemplars(document, slots):
        again = read_exemplars([{"owner": exemplar.function, "template": exemplar.text}], slots)
        if again[0].parts != exemplar.parts:
            raise Broken(f"{exemplar.text!r} reads as {again[0].parts} and not {exemplar.parts}")


# -- requests --------------------------------------------------------------------------------


def _moment(data: Data) -> datetime | None:
    if data.below(3):
        return None
    zone = data.pick((None, timezone.utc, timezone(timedelta(hours=14))))
    return data.pick((datetime.min, datetime.max, datetime(2024, 2, 29, 23, 59, 59), datetime(2023, 7, 11, 9))).replace(tzinfo=zone)


def _span(data: Data, text: str) -> Any:
    start = data.below(len(text) + 1)
    span: list[Any] = [start, start + data.below(12)]
    if data.below(2):
        span.append(data.pick((data.text(), data.number(), True, None)))
    return data.thing() if data.below(8) == 0 else tuple(span)


def _utterance(data: Data) -> str:
    text = data.pick(UTTERANCES)
    for _ in range(data.below(4)):
        at = data.below(len(text) + 1)
        text = text[:at] + data.text()[:200] + text[at + data.below(4) :]
    return text


def _arguments(data: Data, text: str) -> dict[str, Any]:
    keys = ("bed", "minutes", "water_plants.bed", "note.text", "text", "plate", "x")
    given: dict[str, Any] = {"now": _moment(data)}
    if data.below(2):
        given["entities"] = {data.pick(keys): [_span(data, text) for _ in range(data.below(4))] for _ in range(data.below(3))}
    if data.below(3) == 0:
        pairs = (("bed", "water_plants"), (None, "open_gate"), ("text", "note"), ("x", "note"), {"frame": "note", "slot": "text"})
        given["expectations"] = [data.pick(pairs) for _ in range(data.below(4))]
    if data.below(4) == 0:
        given["history"] = [_utterance(data) for _ in range(data.below(6))]
    if data.below(4) == 0:
        given["functions"] = [data.pick(("note", "open_gate", "water_plants", DO_NOT_UNDERSTAND)) for _ in range(data.below(4))]
    if data.below(4) == 0:
        given["tool_choice"] = data.pick(("auto", "required", "none", "note", None, {"type": "function", "function": {"name": "note"}}))
    given["max_calls"], given["n_best"] = 1 + data.below(3), 1 + data.below(5)
    return given


def entities(world: World, data: Data) -> None:
    text = _utterance(data)
    given = _arguments(data, text)
    for _ in range(data.below(4)):
        given[data.pick(tuple(given))] = data.thing()
    converter = world.converters["exact"]
    request = read_request(world.domain, data.thing() if data.below(16) == 0 else text, **given)
    call = data.changed({"name": "water_plants", "arguments": {"bed": "roses", "minutes": 10, "from": "06:30", "days": ["Monday"]}}, odd=True)
    converter.accepts(call, request.utterance, given.get("entities"), given.get("expectations"), request.now)


def utterances(world: World, data: Data) -> None:
    converter = world.converters[data.pick(("exact", "exact", "operators", "free", "greedy"))]
    text = _utterance(data)
    given = _arguments(data, text)
    check(converter, converter.convert(text, **given), text, given)


def check(converter: Converter, result: Result, text: str, given: dict[str, Any]) -> None:
    """The promises that hold for every answer."""
    if not result.calls or not 0 <= result.confidence <= 1:
        raise Broken(f"{result}")
    allowed = {*(given.get("functions") or converter.labels), DO_NOT_UNDERSTAND}
    request = read_request(converter.domain, text, given.get("entities"), None, None, given.get("now"))
    binder = Binder(text, request.candidates, converter.domain.ontology, request.now)
    for call in (call for alternative in result.alternatives for call in alternative.calls):
        if call.name not in allowed:
            raise Broken(f"{call.name!r} was not asked for")
        if not is_sayable({"name": call.name, "arguments": dict(call.arguments)}, converter.domain, binder):
            raise Broken(f"{call.to_json()} is not sayable in {text!r}")
        for slot, span in call.spans.items():
            if not 0 <= span.start < span.end <= len(text):
                raise Broken(f"{slot}: {span} of {len(text)} letters")
    json.dumps(result.to_openai(), allow_nan=False).encode()
    str(result.explain())


TARGETS: Mapping[str, Callable[[World, Data], bool | None]] = {
    "specs": specs, "exemplars": exemplars, "entities": entities, "utterances": utterances, "artifacts": artifacts, "gguf": gguf,
    "http": http,
}  # fmt: skip


def run(world: World, target: str, raw: bytes) -> bool:
    """Whether the input was accepted; False for an error of the package, or a refusal by the server."""
    try:
        return TARGETS[target](world, Data(raw)) is not False
    except ConstrainedDuError as problem:
        if not str(problem).strip():
            raise Broken(f"{type(problem).__name__} without a message") from None
        return False
