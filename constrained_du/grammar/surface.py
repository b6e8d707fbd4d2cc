"""A call's text and back: compact JSON, keys in spec order, no blanks.

Our own reader of the language that ``emit`` writes for others: strict, so that what it
accepts is exactly one text for each call.
"""

from __future__ import annotations

import json

from constrained_du.grammar.grammar import (
    AnyOf,
    CallGrammar,
    Defined,
    Definitions,
    FreeText,
    Grammar,
    Items,
    Members,
    Node,
    OneOf,
    Substring,
)  # fmt: skip
from constrained_du.specs.schema import json_key
from constrained_du.types import Call, JsonValue, compact_json


def write(calls: list[Call] | tuple[Call, ...], as_list: bool) -> str:
    """The text of an answer; a list when several calls are allowed."""
    texts = [call.to_json() for call in calls]
    return f"[{','.join(texts)}]" if as_list else texts[0]


def parse(text: str, grammar: Grammar) -> tuple[Call, ...] | None:
    """The calls that the text says, or None if the grammar does not have it."""
    try:
        value = json.loads(text)
        if compact_json(value) != text:
            return None
    except (ValueError, RecursionError):
        return None
    answers = value if grammar.max_calls > 1 else [value]
    if not isinstance(answers, list) or not 1 <= len(answers) <= max(1, grammar.max_calls):
        return None
    calls: list[Call] = []
    for answer in answers:
        if not (isinstance(answer, dict) and list(answer) == ["name", "arguments"]):
            return None
        call = grammar.by_label.get(answer["name"]) if isinstance(answer["name"], str) else None
        if call is None or not _says(call.body, answer["arguments"], call.definitions):
            return None
        calls.append(Call(call.label, answer["arguments"]))
    if len(calls) > 1 and not all(call.understood for call in calls):
        return None
    return tuple(calls)


def _says(node: Node, value: JsonValue, definitions: Definitions) -> bool:
    """Whether the node has the value as it is written: its order of keys, its kind of number."""
    match node:
        case OneOf():
            return compact_json(value) in node.written
        case Items():
            return node.admits(value, definitions) and all(
                inner is not None and _says(inner, part, definitions) for inner, part in node.pairs(value)
            )
        case Members(fields):
            return (
                node.admits(value, definitions)
                and list(value) == [field.name for field in fields if field.name in value]
                and all(_says(field.node, value[field.name], definitions) for field in fields if field.name in value)
            )
        case AnyOf(options):
            return any(_says(option, value, definitions) for option in options)
        case Defined(name):
            return _says(definitions[name], value, definitions)
        case _:
            return node.admits(value, definitions)


def canonical(call: CallGrammar, arguments: JsonValue) -> dict[str, JsonValue]:
    """Admitted arguments as the grammar writes them: spec order, its own numbers."""
    written = _canonical(call.body, arguments, call.definitions)
    assert isinstance(written, dict)
    return written


def _canonical(node: Node, value: JsonValue, definitions: Definitions) -> JsonValue:
    match node:
        case OneOf(choices):
            key = json_key(value)
            return next(choice.value for choice in choices if json_key(choice.value) == key)
        case Substring() | FreeText():
            return value
        case Items():
            return [_canonical(inner, part, definitions) for inner, part in node.pairs(value) if inner is not None]
        case Members(fields):
            return {f.name: _canonical(f.node, value[f.name], definitions) for f in fields if f.name in value}
        case AnyOf(options):
            return next(_canonical(o, value, definitions) for o in options if o.admits(value, definitions))
        case Defined(name):
            return _canonical(definitions[name], value, definitions)


__all__ = ["canonical", "compact_json", "parse", "write"]
