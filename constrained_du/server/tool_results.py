"""The text after a call has been run: the results laid into a template, and a plain word that it is one.

The server writes no prose. The text names each call with its arguments and says what came back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from constrained_du.server.chat_request import Message, text_of
from constrained_du.server.refusals import Refusal
from constrained_du.types import JsonValue, compact_json

NO_PROSE = "(Filled in from the results by a template: this server turns words into calls and writes no prose.)"
NOT_UNDERSTOOD = "I did not understand that as a call of one of the functions I have."
RESULTS = ("tool", "function")


def is_answered_by_template(messages: Sequence[Message]) -> bool:
    return messages[-1].role in RESULTS


def told(messages: Sequence[Message]) -> str:
    """The text for a conversation whose last messages are results of calls.

    Raises a Refusal for a result that belongs to no call before it.
    """
    trailing = list(takewhile(lambda message: message.role in RESULTS, reversed(messages)))
    lines = [_line(messages, index) for index in range(len(messages) - len(trailing), len(messages))]
    return "\n".join([*lines, "", NO_PROSE])


def _line(messages: Sequence[Message], index: int) -> str:
    message = messages[index]
    result = _readable(text_of(message.content, f"messages[{index}].content"))
    return f"{_call(messages[:index], message, f'messages[{index}]')}: {result}"


def _call(before: Sequence[Message], result: Message, path: str) -> str:
    """The call that a result belongs to, as a programmer writes it."""
    if result.role == "function":
        if not result.name:
            raise Refusal(400, "a function message has the name of the function", f"{path}.name", "missing_field")
        calls = [message.function_call for message in before if message.function_call]
        mine = [call for call in calls if call.get("name") == result.name]
        return _written(mine[-1]) if mine else result.name
    if result.tool_call_id is None:
        raise Refusal(400, "a tool message has the id of its call", f"{path}.tool_call_id", "missing_field")
    for message in reversed(before):
        for call in message.tool_calls or ():
            if call.get("id") == result.tool_call_id and isinstance(call.get("function"), dict):
                return _written(call["function"])
    text = f"no call before it has the id {result.tool_call_id!r} - send the assistant's message with its tool_calls"
    raise Refusal(400, text, f"{path}.tool_call_id", "unknown_call")


def _written(function: dict[str, Any]) -> str:
    name, arguments = function.get("name"), _json(function.get("arguments"))
    said = ", ".join(f"{slot}={compact_json(value)}" for slot, value in arguments.items()) if arguments else ""
    return f"{name}({said})"


def _json(text: object) -> dict[str, JsonValue] | None:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _readable(content: str) -> str:
    """A flat JSON object as ``key value`` pairs; anything else as it is."""
    value = _json(content)
    if not value:
        return content.strip() or "done"
    return ", ".join(f"{key} {_plain(inner)}" for key, inner in value.items())


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else compact_json(value)
