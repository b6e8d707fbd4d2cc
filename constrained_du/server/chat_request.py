"""A body of ``/v1/chat/completions``, read: its fields, and what it asks of a converter.

OpenAI's fields, and this server's own (``entities``, ``expectations``, ``now``, ``history``,
``max_calls``, ``on_missing``, ``exemplars``, ``recognizers``). What has no meaning for a
decoder without chance (``temperature`` and its like) is accepted; a field that nobody knows
is refused, since a misspelt one would be missed in silence. Knows JSON; no HTTP, no converter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from constrained_du.server.options import Limits
from constrained_du.server.refusals import Refusal
from constrained_du.types import JsonValue

MAX_CALLS = 8  # calls of one answer where the request does not say; clauses are not split finer
WORDS = ("auto", "none", "required")


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Message(BaseModel):
    """Other keys of a message (an assistant's own are sent back as they came) mean nothing here."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None
    function_call: dict[str, Any] | None = None


class StreamOptions(Shape):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


class WithoutEffect(Shape):
    """Accepted for the clients that send them: answers are found by search, not by chance."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
    service_tier: str | None = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: str | None = None


class ChatRequest(WithoutEffect):
    model: str
    messages: list[Message] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = Field(None, min_length=1)
    functions: list[dict[str, Any]] | None = Field(None, min_length=1)
    tool_choice: str | dict[str, Any] | None = None
    function_call: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=16)] | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    response_format: dict[str, Any] | None = None
    modalities: list[Literal["text"]] | None = None
    entities: dict[str, list[list[Any]]] | None = None
    expectations: list[list[str] | dict[str, Any]] | None = None
    now: str | None = None
    history: list[str] | None = None
    max_calls: Annotated[int, Field(ge=1, le=32)] | None = None
    on_missing: Literal["call", "ask"] | None = None
    exemplars: list[Any] | dict[str, Any] | None = None
    recognizers: dict[str, Any] | None = None

    @property
    def legacy(self) -> bool:
        """Whether it speaks of ``functions``; the answer then has a ``function_call``."""
        return self.functions is not None or (self.tools is None and self.function_call is not None)

    @property
    def choices(self) -> int:
        return self.n or 1

    @property
    def rivals(self) -> int:
        """How many answers are needed: for ``n`` and for ``top_logprobs``."""
        return max(self.choices, self.top_logprobs or 0)


@dataclass(frozen=True, slots=True)
class Order:
    """What ``convert`` is asked for; ``arguments`` are its keyword arguments."""

    utterance: str
    arguments: dict[str, Any]


def check(request: ChatRequest, limits: Limits) -> None:
    """Raises the Refusal for what fits the shape and still cannot be done."""
    if len(request.messages) > limits.messages:
        raise Refusal(400, f"{len(request.messages)} messages are more than {limits.messages}", "messages", "too_many")
    for name, given in (("tools", request.tools), ("functions", request.functions)):
        if given is not None and len(given) > limits.functions:
            message = f"{len(given)} functions are more than {limits.functions} - send fewer, or compile an artifact"
            raise Refusal(400, message, name, "too_many")
    if request.tools is not None and request.functions is not None:
        raise Refusal(400, "tools and functions both - functions is the older name, keep one", "functions")
    for index, tool in enumerate(request.tools or ()):
        if tool.get("type") != "function" or not isinstance(tool.get("function"), dict):
            message = 'a tool here is {"type": "function", "function": {…}}'
            raise Refusal(400, message, f"tools[{index}].type", "unsupported_tool")
    kind = (request.response_format or {}).get("type", "text")
    if kind != "text":
        message = f"response_format {kind!r} is not for this server, which gives calls - send the schema as a tool"
        raise Refusal(400, message, "response_format.type", "unsupported_value")
    if request.top_logprobs is not None and not request.logprobs:
        raise Refusal(400, "top_logprobs needs logprobs: true", "top_logprobs")
    if request.stream_options is not None and not request.stream:
        raise Refusal(400, "stream_options needs stream: true", "stream_options")


def text_of(content: str | list[dict[str, Any]] | None, path: str) -> str:
    """A message's words; of parts only text is understood."""
    if content is None or isinstance(content, str):
        return content or ""
    pieces = []
    for index, part in enumerate(content):
        if part.get("type") != "text" or not isinstance(part.get("text"), str):
            message = f"a part of type {part.get('type')!r} - only text is understood here"
            raise Refusal(400, message, f"{path}[{index}].type", "unsupported_content")
        pieces.append(part["text"])
    return "\n".join(pieces)


def order(request: ChatRequest, labels: Sequence[str], limits: Limits) -> Order:
    """The request for a converter with these functions; the last message is the user's."""
    last = len(request.messages) - 1
    if request.messages[last].role != "user":
        message = "the last message is the user's, or the result of a call - nothing else can be answered"
        raise Refusal(400, message, f"messages[{last}].role", "invalid_value")
    said = [
        text_of(message.content, f"messages[{index}].content")
        for index, message in enumerate(request.messages)
        if message.role == "user"
    ]
    if len(said[-1]) > limits.utterance:
        text = f"the utterance has {len(said[-1])} code points, more than {limits.utterance} - shorten it"
        raise Refusal(400, text, f"messages[{last}].content", "utterance_too_long")
    choice, functions = _choice(request, labels)
    several = MAX_CALLS if request.parallel_tool_calls is not False and not request.legacy else 1
    return Order(said[-1], {
        "entities": request.entities,
        "expectations": _expectations(request),
        "history": request.history if request.history is not None else [text for text in said[:-1] if text],
        "now": moment(request.now, "now"),
        "functions": functions,
        "tool_choice": choice,
        "max_calls": request.max_calls or several,
        "n_best": request.rivals,
    })  # fmt: skip


def moment(text: str | None, path: str) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(re.sub(r"[zZ]\Z", "+00:00", text))  # Python 3.10 knows no Z
    except ValueError:
        message = f"{text!r} is no ISO date and time, like 2023-07-11T09:00"
        raise Refusal(400, message, path, "invalid_value") from None


def _expectations(request: ChatRequest) -> list[Any] | None:
    given = request.expectations
    return None if given is None else [tuple(pair) if isinstance(pair, list) else pair for pair in given]


def _choice(request: ChatRequest, labels: Sequence[str]) -> tuple[str, list[str] | None]:
    """OpenAI's forms of ``tool_choice`` as the converter's: the choice, and the functions it leaves."""
    path = "function_call" if request.legacy else "tool_choice"
    given: JsonValue = request.function_call if request.legacy else request.tool_choice
    match given:
        case None:
            return "auto", None
        case str():
            if given not in WORDS or (request.legacy and given == "required"):
                raise Refusal(400, f'{given!r} is not "auto", "none" or "required"', path, "invalid_value")
            return given, None
        case {"type": "allowed_tools", "allowed_tools": {"mode": "auto" | "required" as mode, "tools": list(tools)}}:
            return mode, [_named(tool, f"{path}.allowed_tools.tools[{i}]", labels) for i, tool in enumerate(tools)]
        case _:
            return _named(given, path, labels), None


def _named(given: JsonValue, path: str, labels: Sequence[str]) -> str:
    inner = given.get("function", given) if isinstance(given, dict) else None
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(name, str):
        raise Refusal(400, 'a choice is a word or {"type": "function", "function": {"name": …}}', path, "invalid_value")
    if name not in labels:
        raise Refusal(400, f"there is no function {name!r} among those of this request", path, "unknown_function")
    return name
