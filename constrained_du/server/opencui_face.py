"""OpenCUI's routes, so that its runtime can point at this server.

| route | answer |
|---|---|
| ``POST /v1/predict/{bot}`` ``SKILL`` | ``[{"owner": label, "evidence": [], "utterance": said}]`` |
| … ``SLOT`` | ``{slot: {"values": [said], "operator": "=="}}`` |
| … ``BINARY`` | ``"Affirmative"``, ``"Negative"``, ``"Indifferent"`` or ``"Irrelevant"`` |
| ``GET /v1/index/{bot}``, ``/v1/load/{bot}``, ``/hello`` | ``Ok`` |

Fields of both generations of the runtime are read (``expectedFrames`` and ``expectations``,
``question`` and ``questions``: a list gets a list). Values are what was said, since the
runtime looks them up among the texts that its own recognizers found. Frames and types that the
bot does not know (the runtime sends those of its own, too) say nothing about it and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from constrained_du.converter import Converter
from constrained_du.server.bodies import read_body, reply
from constrained_du.server.compiled import Compiled
from constrained_du.server.refusals import Refusal
from constrained_du.server.state import State, state_of
from constrained_du.server.yes_no import DOCUMENTS as YES_NO
from constrained_du.server.yes_no import IRRELEVANT, verdict
from constrained_du.specs.instances import CONVERSATION
from constrained_du.types import Call, JsonValue, Result, compact_json

RUNTIME_NAMES = {
    "abort_intent": "io.opencui.core.AbortIntent",
    "affirm": "io.opencui.core.confirmation.Yes",
    "change_slot_value": "io.opencui.core.SlotUpdate",
    "close_session": "io.opencui.core.CloseSession",
    "deny": "io.opencui.core.confirmation.No",
    "dont_care": "io.opencui.core.DontCare",
    "hand_off": "io.opencui.core.Handoff",
    "pick": "io.opencui.core.PickValue",
}
"""The package's conversation functions as the runtime calls them; it has none for ``help`` and ``repeat``."""


class Prediction(BaseModel):
    """A body of ``/v1/predict``; other keys are the runtime's own business."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    mode: Literal["SKILL", "SLOT", "BINARY"]
    utterance: str
    expectedFrames: list[dict[str, Any]] | None = None
    expectations: list[dict[str, Any]] | None = None
    candidates: dict[str, list[str]] | None = None
    targetFrame: str | None = None
    slots: list[str | dict[str, Any]] | None = None
    expectedSlots: list[str] | None = None
    question: str | None = None
    questions: list[str] | None = None


async def predict(http: Request) -> Response:
    state = state_of(http)
    request = await read_body(http, Prediction, state.options.limits)
    if len(request.utterance) > state.options.limits.utterance:
        raise Refusal(400, f"more than {state.options.limits.utterance} code points", "utterance", "utterance_too_long")
    bot = await state.loaded(await _known(state, http))
    match request.mode:
        case "SKILL":
            return reply(await _skills(state, bot, request))
        case "SLOT":
            return reply(await _slots(state, bot, request))
        case "BINARY":
            return reply(await _yes_or_no(state, bot, request))


async def _skills(state: State, bot: Compiled, request: Prediction) -> JsonValue:
    frames = request.expectedFrames if request.expectedFrames is not None else request.expectations
    result = await _asked(state, bot, request, expectations=_expected(bot.converter, frames or ()))
    if not result.understood:
        return [{"evidence": [], "utterance": request.utterance}]
    marks = {str(spec["label"]): spec.get(CONVERSATION) for spec in bot.converter.specs}
    owners = [RUNTIME_NAMES.get(str(marks.get(call.name)), call.name) for call in result.calls]
    return [{"owner": owner, "evidence": [], "utterance": request.utterance} for owner in owners]


async def _slots(state: State, bot: Compiled, request: Prediction) -> JsonValue:
    converter = bot.converter
    frame = request.targetFrame or _frame_of(converter, request.slots or ())
    if frame not in converter.labels:
        message = f"this bot has no frame {frame!r} - name one in targetFrame"
        raise Refusal(404 if frame else 400, message, "targetFrame", "unknown_frame")
    expected = [{"frame": frame, "slot": slot} for slot in request.expectedSlots or ()]
    expectations = _expected(converter, expected) or [{"frame": frame}]
    result = await _asked(state, bot, request, tool_choice=frame, expectations=expectations)
    wanted = {label for slot in request.slots or () if (label := _label(slot)) is not None}
    values = dict(_values(result.calls[0], request.utterance))
    return {slot: told for slot, told in values.items() if not wanted or slot in wanted}


def _values(call: Call, utterance: str) -> Iterator[tuple[str, JsonValue]]:
    for slot, value in call.arguments.items():
        spans = [span for key, span in call.spans.items() if key == slot or key.startswith((f"{slot}[", f"{slot}."))]
        said = [utterance[start:end] for start, end in sorted(spans)]
        yield slot, {"values": said or [value if isinstance(value, str) else compact_json(value)], "operator": "=="}
    for slot, pairs in call.operators.items():
        operator, operand = pairs[0]
        texts = [one if isinstance(one, str) else compact_json(one) for one in _listed(operand)]
        yield slot, {"values": texts, "operator": operator}


def _listed(operand: JsonValue) -> list[JsonValue]:
    return [] if operand is None else operand if isinstance(operand, list) else [operand]


async def _yes_or_no(state: State, bot: Compiled, request: Prediction) -> JsonValue:
    if not request.utterance.strip():
        answer = IRRELEVANT
    else:
        judge = await state.compiled(YES_NO, bot.converter.settings, "questions")
        said = request.utterance.strip().rstrip(".!。！")
        answer = verdict(await state.crew.run(partial(judge.converter.convert, said, tool_choice="required")))
    return answer if request.questions is None or request.question else [answer] * len(request.questions)


async def _asked(state: State, bot: Compiled, request: Prediction, **arguments: Any) -> Result:
    if not request.utterance.strip():
        raise Refusal(400, "an empty utterance says nothing", "utterance", "invalid_value")
    entities = located(request.candidates or {}, request.utterance, entity_keys(bot)) or None
    return await state.crew.run(partial(bot.converter.convert, request.utterance, entities=entities, **arguments))


def located(
    candidates: Mapping[str, Iterable[str]], utterance: str, known: set[str]
) -> dict[str, list[tuple[int, int]]]:
    """Where candidate texts stand in the utterance, whatever their case; those that do not are left out."""
    found: dict[str, list[tuple[int, int]]] = {}
    for key, texts in candidates.items():
        spans = [
            match.span()
            for text in texts
            if text.strip()
            for match in re.finditer(re.escape(text.strip()), utterance, re.IGNORECASE)
        ]
        if key in known and spans:
            found[key] = list(dict.fromkeys(spans))
    return found


def entity_keys(bot: Compiled) -> set[str]:
    """What entities may be called: slots, ``function.slot``, and types."""
    keys = set(bot.recognizers)
    for spec in bot.converter.specs:
        for slot, schema in spec.get("parameters", {}).get("properties", {}).items():
            keys |= {slot, f"{spec['label']}.{slot}"}
            kind = schema.get("type") if isinstance(schema, dict) else None
            keys |= {kind} if isinstance(kind, str) and kind not in _JSON_TYPES else set()
    return keys


_JSON_TYPES = frozenset(["string", "integer", "number", "boolean", "null", "array", "object", "slot_label"])


def _expected(converter: Converter, frames: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The expectations that are about this bot's functions; a slot it does not have is left out."""
    slots = {spec["label"]: spec.get("parameters", {}).get("properties", {}) for spec in converter.specs}
    expected: list[dict[str, Any]] = []
    for one in frames:
        frame, slot = one.get("frame"), one.get("slot")
        if isinstance(frame, str) and frame in slots:
            slot = slot if isinstance(slot, str) else None
            expected.append({"frame": frame, "slot": slot} if slot in slots[frame] else {"frame": frame})
    return expected


def _label(slot: str | Mapping[str, Any]) -> str | None:
    """A slot's label, however the runtime writes it: ``frame.slot``, ``slot`` or an object."""
    text = slot if isinstance(slot, str) else slot.get("label") or slot.get("name")
    return text.rpartition(".")[2] if isinstance(text, str) else None


def _frame_of(converter: Converter, slots: Iterable[str | Mapping[str, Any]]) -> str | None:
    """The frame that has all the slots, where an older runtime does not name it."""
    wanted = {label for slot in slots if (label := _label(slot)) is not None}
    for spec in converter.specs:
        if wanted and wanted <= set(spec.get("parameters", {}).get("properties", {})):
            return str(spec["label"])
    return None


async def _known(state: State, http: Request) -> str:
    bot = str(http.path_params["bot"])
    if bot not in state.catalogue:
        await state.builders.run(state.catalogue.look_again)
    if bot not in state.catalogue:
        raise Refusal(404, f"there is no bot {bot!r} here", "bot", "bot_not_found")
    return bot


async def index(http: Request) -> Response:
    state = state_of(http)
    await state.reloaded(await _known(state, http))
    return PlainTextResponse("Ok")


async def load(http: Request) -> Response:
    state = state_of(http)
    await state.loaded(await _known(state, http))
    return PlainTextResponse("Ok")


async def hello(http: Request) -> Response:
    return PlainTextResponse("Ok")


ROUTES = [
    Route("/v1/predict/{bot}", predict, methods=["POST"]),
    Route("/v1/index/{bot}", index, methods=["GET"]),
    Route("/v1/load/{bot}", load, methods=["GET"]),
    Route("/hello", hello, methods=["GET"]),
]
