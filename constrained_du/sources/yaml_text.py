"""Builds the value of a YAML text from its parser's events, under YAML 1.2's plain rules.

``on``, ``no``, ``12:30`` and ``2024-01-01`` stay the texts that the author sees (YAML 1.1
readers make booleans, integers and dates of them); keys may not come twice; nesting and
aliases are counted while reading, so that no input exhausts the stack. Merge keys (``<<``)
work. Tags other than those of JSON's types are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from constrained_du.errors import SpecError
from constrained_du.sources.plain import MAX_DEPTH, printable, show

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_DECIMAL = re.compile(r"[-+]?[0-9]{1,1200}\Z")
_BASED = re.compile(r"0o[0-7]{1,1200}\Z|0x[0-9a-fA-F]{1,1200}\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_TAG = "tag:yaml.org,2002:"
_MERGE = object()


def parse_yaml(text: str, root: str) -> Any:
    """The value of a YAML text with one document; None for an empty one."""
    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return _Builder(root).build(events)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SpecError(root, f"no YAML: {printable(problem)}{place} - mend it there") from None
    except (RecursionError, UnicodeError) as error:
        raise SpecError(root, f"no YAML: {type(error).__name__} - simplify the file") from None


@dataclass(slots=True)
class _Open:
    """A container that is being filled."""

    value: Any
    key: Any = None
    has_key: bool = False
    merged: list[dict[str, Any]] = field(default_factory=list)


class _Builder:
    def __init__(self, root: str) -> None:
        self._root = root
        self._anchors: dict[str, Any] = {}
        self._stack: list[_Open] = []
        self._result: Any = None
        self._documents = 0

    def build(self, events: Iterator[Any]) -> Any:
        for event in events:
            self._take(event)
        return self._result

    def _take(self, event: Any) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise self._error(event, "a second document - keep one per file")
            case yaml.AliasEvent():
                if event.anchor not in self._anchors:
                    raise self._error(
                        event, f"no anchor named {show(event.anchor)} before it - define it first"
                    )
                self._add(event, self._anchors[event.anchor])
            case yaml.ScalarEvent():
                value = self._scalar(event)
                self._remember(event, value)
                self._add(event, value)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(event)

    def _open(self, event: Any) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        allowed = {None, "!", _TAG + ("map" if mapping else "seq")}
        if event.tag not in allowed:
            raise self._error(event, f"the tag {show(event.tag)} is not read - leave it out")
        if len(self._stack) >= MAX_DEPTH:
            raise self._error(event, f"nested deeper than {MAX_DEPTH} levels - flatten it")
        container: Any = {} if mapping else []
        self._remember(event, container)
        self._stack.append(_Open(container))

    def _close(self, event: Any) -> None:
        opened = self._stack.pop()
        for merged in opened.merged:
            for key, value in merged.items():
                opened.value.setdefault(key, value)
        self._add(event, opened.value)

    def _add(self, event: Any, value: Any) -> None:
        if not self._stack:
            self._result = value
            return
        top = self._stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif not top.has_key:
            top.key, top.has_key = self._key(event, value, top), True
        else:
            if top.key is _MERGE:
                top.merged.extend(self._merged(event, value))
            else:
                top.value[top.key] = value
            top.has_key = False

    def _key(self, event: Any, value: Any, top: _Open) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            if event.implicit[0] and event.value == "<<":
                return _MERGE
            # Keys are names: `on`, `1` and `true` are the texts that the author wrote.
            value = event.value
        if not isinstance(value, str):
            raise self._error(event, f"the key {show(value)} is no text - write it in quotes")
        if value in top.value:
            raise self._error(event, f"the key {show(value)} is there twice - keep one of them")
        return value

    def _merged(self, event: Any, value: Any) -> list[dict[str, Any]]:
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            raise self._error(event, "<< merges what is no mapping - give it an alias of a mapping")
        return parts

    def _remember(self, event: Any, value: Any) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = value

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if event.tag == _TAG + "str" or (event.tag in (None, "!") and not event.implicit[0]):
            return text
        if event.tag not in (None, "!", *(_TAG + name for name in ("null", "bool", "int", "float"))):
            raise self._error(event, f"the tag {show(event.tag)} is not read - leave it out")
        if _NOT_FINITE.match(text):
            raise self._error(event, f"{text} is no JSON number - give a finite one")
        return _plain_scalar(text)

    def _error(self, event: Any, problem: str) -> SpecError:
        mark = event.start_mark
        return SpecError(self._root, f"{problem} (line {mark.line + 1}, column {mark.column + 1})")


def _plain_scalar(text: str) -> Any:
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _DECIMAL.match(text):
        return int(text)
    if _BASED.match(text):
        return int(text, 0)
    if _FLOAT.match(text):
        return float(text)
    return text
