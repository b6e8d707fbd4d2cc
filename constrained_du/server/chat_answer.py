"""A result as OpenAI's completion, whole or in pieces.

What OpenAI has no field for stands under ``constrained_du``: of each choice its confidence
and calls with spans, missing slots and questions; of the whole what it cost and what decided.
Knows results; no HTTP.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from constrained_du.server.chat_request import ChatRequest
from constrained_du.server.tool_results import NOT_UNDERSTOOD
from constrained_du.server.written import call_json, stats_json
from constrained_du.types import Alternative, JsonValue, Result, compact_json

EXTRA = "constrained_du"
PIECE = 24  # code points of arguments in one delta


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found: choices as messages, and what goes beside them."""

    choices: tuple[dict[str, JsonValue], ...]
    tokens: int = 0
    extra: dict[str, JsonValue] | None = None


def of_text(text: str) -> Answer:
    return Answer((_choice(0, {"role": "assistant", "content": text}, "stop"),))


def of_result(result: Result, request: ChatRequest) -> Answer:
    """The ``n`` likeliest answers as choices; fewer where there are not as many."""
    found = result.alternatives or (Alternative(result.calls, 0.0, result.confidence),)
    choices = [_found(index, one, request, found) for index, one in enumerate(islice(found, request.choices))]
    extra = {"decided_by": result.explain().decided_by, "stats": stats_json(result.stats)}
    return Answer(tuple(choices), result.stats.tokens_evaluated, extra)


def _found(
    index: int, answer: Alternative, request: ChatRequest, rivals: tuple[Alternative, ...]
) -> dict[str, JsonValue]:
    result = Result(answer.calls, answer.confidence)
    question = next((call.clarification for call in answer.calls if call.clarification), None)
    if not result.understood:
        message, reason = _said(NOT_UNDERSTOOD), "stop"
    elif question is not None and request.on_missing == "ask":
        message, reason = _said(question), "stop"
    else:
        message = result.to_openai(legacy=request.legacy) | {"refusal": None}
        reason = "function_call" if request.legacy else "tool_calls"
    choice = _choice(index, message, reason)
    if request.logprobs:
        choice["logprobs"] = {"content": [_logprob(answer, rivals[: request.top_logprobs or 0])], "refusal": None}
    choice[EXTRA] = {
        "understood": result.understood,
        "confidence": answer.confidence,
        "score": answer.score,
        "calls": [call_json(call) for call in answer.calls],
    }
    return choice


def _said(text: str) -> dict[str, JsonValue]:
    return {"role": "assistant", "content": text, "refusal": None}


def _choice(index: int, message: dict[str, JsonValue], reason: str) -> dict[str, JsonValue]:
    return {"index": index, "message": message, "logprobs": None, "finish_reason": reason}


def _logprob(answer: Alternative, rivals: tuple[Alternative, ...]) -> dict[str, JsonValue]:
    """Whole answers are compared, so the one “token” with a probability is the whole answer."""
    return _token(answer) | {"top_logprobs": [_token(rival) for rival in rivals]}


def _token(answer: Alternative) -> dict[str, JsonValue]:
    calls = [call.to_json() for call in answer.calls]
    text = calls[0] if len(calls) == 1 else f"[{','.join(calls)}]"
    return {"token": text, "logprob": answer.score, "bytes": list(text.encode())}


def completion(answer: Answer, model: str, fingerprint: str) -> dict[str, JsonValue]:
    whole = _head("chat.completion", model, fingerprint)
    whole |= {"choices": list(answer.choices), "usage": _usage(answer)}
    return whole | ({} if answer.extra is None else {EXTRA: answer.extra})


def chunks(answer: Answer, model: str, fingerprint: str, with_usage: bool) -> Iterator[dict[str, JsonValue]]:
    """The completion as deltas: role, then text or calls with arguments in pieces, then the reason."""
    head = _head("chat.completion.chunk", model, fingerprint)
    blank: dict[str, JsonValue] = {"usage": None} if with_usage else {}
    for choice in answer.choices:
        index, message = choice["index"], choice["message"]
        for delta in _deltas(message):
            yield head | {"choices": [_part(index, delta)]} | blank
        last = _part(index, {}, choice["finish_reason"]) | {"logprobs": choice["logprobs"]}
        last |= {EXTRA: choice[EXTRA]} if EXTRA in choice else {}
        yield head | {"choices": [last]} | blank | ({} if answer.extra is None else {EXTRA: answer.extra})
    if with_usage:
        yield head | {"choices": [], "usage": _usage(answer)}


def _deltas(message: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    yield {"role": "assistant", "content": "" if message["content"] is not None else None}
    if message["content"]:
        yield {"content": message["content"]}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        start = call | {"index": index, "function": {"name": function["name"], "arguments": ""}}
        yield {"tool_calls": [start]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
    if "function_call" in message:
        function = message["function_call"]
        yield {"function_call": {"name": function["name"], "arguments": ""}}
        for piece in _pieces(function["arguments"]):
            yield {"function_call": {"arguments": piece}}


def _pieces(text: str) -> Iterator[str]:
    yield from (text[at : at + PIECE] for at in range(0, len(text), PIECE))


def _part(index: int, delta: dict[str, JsonValue], reason: str | None = None) -> dict[str, JsonValue]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}


def _head(kind: str, model: str, fingerprint: str) -> dict[str, JsonValue]:
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": model,
        "system_fingerprint": fingerprint,
    }  # fmt: skip


def _usage(answer: Answer) -> dict[str, JsonValue]:
    """Tokens that the model evaluated; it generates none."""
    return {"prompt_tokens": answer.tokens, "completion_tokens": 0, "total_tokens": answer.tokens}


def server_sent(document: JsonValue) -> str:
    return f"data: {compact_json(document)}\n\n"


END = "data: [DONE]\n\n"
