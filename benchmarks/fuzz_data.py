"""Bytes of a fuzzer made into values: texts, JSON, Python objects, changes of what is right.

The same bytes give the same value. Knows JSON and Unicode, nothing of this package.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

ODD_TEXTS = (
    "", " ", "\0", "\ud800", "\udfff", "a\u0301" * 50, "\u202e", "\u200b", "\ufeff", "\U0010ffff", "<|im_end|>", "$", "$.",
    "<x>", "< city >", "\\<", "\\", '"', "'", "{", "}", "[]", "{}", "null", "true", "-0", "1e999", "NaN", "٣", "²", "½", "１２",
    "十二", "二十五日", "tomorrow at noon", "7pm", "twenty one", "x" * 5000, "(" * 300, "[a-z]*", "(a+)+$", "^[0-9]{1,9999}$",
    "\\p{L}+", "(?=x)", "(?P<a>b)", "a{2,1}", "\\", "[", "*", "#/$defs/a", "#/$defs/a/b~1c", "#", "http://x/y#z", "../x",
    "a.b", "do_not_understand", "change_slot_value", "%s%n", "\r\n\u2028", "🇦🇧👨‍👩‍👧‍👦", "日本語の文", "مرحبا", "क्षि",
)  # fmt: skip
ODD_NUMBERS = (
    0, 1, -1, 2, 7, 20, 255, 2**31, 2**53, 2**63, 2**64, 10**40, -(10**40), 0.5, -0.0, 0.1, 1e-300, 1e300, float("inf"),
    float("-inf"), float("nan"), 1e15, 3.0,
)  # fmt: skip
KEYWORDS = (
    "type", "properties", "required", "enum", "const", "items", "anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions", "format",
    "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems",
    "maxItems", "uniqueItems", "prefixItems", "additionalProperties", "nullable", "default", "title", "description", "examples",
    "x-value", "x-link", "not", "if", "then", "else", "dependentRequired", "patternProperties", "propertyNames", "contains",
    "name", "label", "function", "parameters", "input_schema", "inputSchema", "strict", "tools", "functions", "skills", "slots",
    "openapi", "paths", "operationId", "requestBody", "in", "schema", "content", "application/json", "get", "post", "clarification",
    "funcId", "exemplars", "utterance", "template", "owner", "owner_mode", "context_frame", "context_slot", "arguments",
    "recognizers", "instances", "expressions", "rec_type", "list", "regex", "negation", "implies", "literal", "extended", "free",
    "object", "array", "string", "integer", "number", "boolean", "null", "slot_label", "slot_value", "date", "time", "date-time",
    "duration", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "city", "bed", "text", "minutes", "water_plants", "open_gate",
)  # fmt: skip


class Data:
    """A reader of bytes that never ends: after the last byte come zeros."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._at = raw, 0

    def byte(self) -> int:
        at, self._at = self._at, self._at + 1
        return self._raw[at] if at < len(self._raw) else 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._raw)

    def below(self, most: int) -> int:
        """A number from 0 to below ``most``."""
        return self.byte() % most if most <= 256 else (self.byte() << 8 | self.byte()) % most

    def pick(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def rest(self) -> bytes:
        at, self._at = self._at, len(self._raw)
        return self._raw[at:]

    def some(self) -> bytes:
        at = self._at
        self._at += 1 + self.byte() % 40
        return self._raw[at + 1 : self._at]

    # -- values --------------------------------------------------------------------------

    def text(self) -> str:
        match self.below(6):
            case 0:
                return self.pick(ODD_TEXTS)
            case 1:
                return self.pick(KEYWORDS)
            case 2:
                return self.some().decode("utf-8", "replace")
            case 3:
                return self.some().decode("latin-1")
            case 4:
                return "".join(chr(self.byte() << 12 & 0x1F000 | self.byte() << 4 | self.byte() & 15) for _ in range(self.below(12)))
            case _:
                return " ".join(self.pick(KEYWORDS) for _ in range(self.below(5)))

    def number(self) -> int | float:
        return self.pick(ODD_NUMBERS) if self.below(2) else self.below(256) - 3

    def value(self, depth: int = 4) -> Any:
        """A JSON value."""
        match self.below(9) if depth else self.below(5):
            case 0:
                return self.number()
            case 1 | 2:
                return self.text()
            case 3:
                return self.pick((None, True, False, [], {}))
            case 4:
                return self.number()
            case 5 | 6:
                return {self.text(): self.value(depth - 1) for _ in range(self.below(5))}
            case 7:
                return [self.value(depth - 1) for _ in range(self.below(5))]
            case _:
                return self.deep()

    def deep(self) -> Any:
        """Something nested beyond reason, or long."""
        levels, inner = self.pick((3, 30, 300, 3000)), self.value(0)
        key = self.pick(("items", "anyOf", "properties", "", "allOf"))
        if self.below(4) == 0:
            return [inner] * levels
        for _ in range(levels):
            inner = {key: inner} if key == "items" else {key: [inner]} if key in ("anyOf", "allOf") else {key: {"a": inner}} if key else [inner]
        return inner

    def thing(self) -> Any:
        """A Python object: mostly JSON, sometimes what no JSON can be."""
        if self.below(5):
            return self.value()
        return self.pick((object(), b"bytes", {1, 2}, (1, 2), {1: 2}, {(): 3}, range(3), int, len, 1j, bytearray(b"x"), iter([1])))

    # -- changes -------------------------------------------------------------------------

    def changed(self, value: Any, odd: bool = False) -> Any:
        """A copy of a JSON value with up to six places replaced, removed, added or moved."""
        box = [copy.deepcopy(value)]
        for _ in range(1 + self.below(6)):
            if self.ended:
                break
            self._change(box, odd)
        return box[0]

    def _change(self, box: list[Any], odd: bool) -> None:
        holders = _holders(box)
        holder, key = holders[self.below(len(holders))]
        action = self.below(6)
        if action == 0 and holder is not box:
            del holder[key]
        elif action == 1 and isinstance(holder[key], dict):
            holder[key][self.pick(KEYWORDS) if self.below(2) else self.text()] = self.thing() if odd else self.value()
        elif action == 1 and isinstance(holder[key], list):
            holder[key].insert(self.below(len(holder[key]) + 1), self.thing() if odd else self.value())
        elif action == 2:
            other, name = holders[self.below(len(holders))]
            holder[key] = _copied(other[name])
        elif action == 3 and isinstance(holder[key], str):
            at = self.below(len(holder[key]) + 1)
            holder[key] = holder[key][:at] + self.text() + holder[key][at:]
        else:
            holder[key] = self.thing() if odd else self.value()


def _copied(value: Any) -> Any:
    """A deep copy; of what is too deep for one, an empty list."""
    try:
        return copy.deepcopy(value)
    except (RecursionError, TypeError):
        return []


def written(value: Any) -> bytes:
    """A value as JSON; what is too deep to be written as a list that is deep."""
    try:
        return json.dumps(value).encode()
    except RecursionError:
        return b"[" * 3000 + b"]" * 3000


def _holders(box: list[Any], most: int = 400) -> list[tuple[Any, Any]]:
    """Every place in a nested value as (container, key)."""
    found: list[tuple[Any, Any]] = []
    stack: list[Any] = [box]
    while stack and len(found) < most:
        holder = stack.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                stack.append(holder[key])
    return found
