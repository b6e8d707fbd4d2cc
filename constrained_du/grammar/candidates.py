"""What the caller says about one utterance, checked: entities and expectations.

Turns the loose forms that callers use into frozen values, or says what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constrained_du.errors import CandidateError
from constrained_du.grammar.grammar import Choice
from constrained_du.sources.plain import show
from constrained_du.specs.schema import json_key
from constrained_du.specs.spec import Function
from constrained_du.types import JsonValue, Span

_NO_TEXT = re.compile("[\ud800-\udfff\0]")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Choices by key: a slot type, a slot label, or ``function.slot``."""

    by_key: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)

    def get(self, keys: Sequence[str]) -> tuple[Choice, ...] | None:
        """Those of the first key that is there; None if none restricts the slot."""
        return next((self.by_key[key] for key in keys if key in self.by_key), None)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where they stand, each place once."""
        return tuple(dict.fromkeys(c.span for own in self.by_key.values() for c in own if c.span is not None))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the user was just asked for; ``slot`` None means the function as a whole."""

    slot: str | None
    function: str


def read_entities(entities: object, utterance: str, known: Collection[str]) -> Candidates:
    """``{key: [(start, end) | (start, end, value), …]}`` as choices, in the order given.

    Raises CandidateError with the key and the span for anything that is not a span of
    the utterance, and for keys that no slot uses (``known`` are those that one does).
    """
    if entities is None:
        return Candidates()
    if not isinstance(entities, Mapping):
        raise CandidateError(f"entities is a dict of spans by slot type or label, not {show(entities)}")
    by_key: dict[str, tuple[Choice, ...]] = {}
    for key, spans in entities.items():
        if not isinstance(key, str) or key not in known:
            raise CandidateError(f"entities: no slot uses the key {_name(key)} - use a slot type, a slot label or function.slot")
        if isinstance(spans, str) or not isinstance(spans, Sequence):
            raise CandidateError(f"entities[{key!r}] is a list of (start, end) or (start, end, value), not {show(spans)}")
        choices = (_choice(key, item, utterance) for item in spans)
        by_key[key] = tuple({(_key(choice.value), choice.span): choice for choice in choices}.values())
    return Candidates(by_key)


def _key(value: JsonValue) -> tuple[bool, str]:
    """Equal for equal values; texts, which are many, need no look at what they hold."""
    return (True, value) if isinstance(value, str) else (False, json_key(value))


def _choice(key: str, item: object, utterance: str) -> Choice:
    # Tuples and lists first: there may be thousands, and to be a Sequence takes longer to find out.
    if not isinstance(item, tuple | list | Sequence) or isinstance(item, str) or len(item) not in (2, 3):
        raise CandidateError(f"entities[{key!r}]: {show(item)} is not (start, end) or (start, end, value)")
    start, end = item[0], item[1]
    if type(start) is not int or type(end) is not int:
        raise CandidateError(f"entities[{key!r}]: the offsets of {show(item)} are not whole numbers")
    if not 0 <= start < end <= len(utterance):
        raise CandidateError(
            f"entities[{key!r}]: {show(item)} is no span of the utterance, which has {len(utterance)} code points; "
            "offsets count code points, end exclusive"
        )
    value: Any = item[2] if len(item) == 3 and item[2] is not None else utterance[start:end]
    if not isinstance(value, str | int | float | bool) or value != value:
        raise CandidateError(f"entities[{key!r}]: the value {show(value)} is no text, number or boolean")
    if isinstance(value, str) and _NO_TEXT.search(value):
        raise CandidateError(f"entities[{key!r}]: the value {show(value)} holds NUL or half a surrogate pair")
    return Choice(value, Span(start, end), "entity")


def read_expectations(expectations: object, functions: Mapping[str, Function]) -> tuple[Expectation, ...]:
    """``(slot, function)`` pairs, or OpenCUI's ``{"frame", "slot"}``; the most recent first."""
    if expectations is None:
        return ()
    if isinstance(expectations, str | Mapping) or not isinstance(expectations, Sequence):
        raise CandidateError(f"expectations is a list of (slot, function), not {show(expectations)}")
    return tuple(_expectation(item, functions) for item in expectations)


def _expectation(item: object, functions: Mapping[str, Function]) -> Expectation:
    if isinstance(item, Mapping):
        slot, label = item.get("slot"), item.get("frame", item.get("function"))
    elif isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2:
        slot, label = item
    else:
        raise CandidateError(f"expectations: {show(item)} is not (slot, function)")
    if not isinstance(label, str) or label not in functions:
        raise CandidateError(f"expectations: there is no function {_name(label)}")
    if slot is not None and (not isinstance(slot, str) or slot not in functions[label].slot):
        raise CandidateError(f"expectations: {label!r} has no slot {_name(slot)}")
    return Expectation(slot, label)


def _name(given: object) -> str:
    """A name in a message; what is none may be anything, however deep."""
    return repr(given[:80]) if isinstance(given, str) else show(given)
