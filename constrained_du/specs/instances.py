"""Functions that speak of other functions' slots: which of their slots name one, which hold its value.

A slot of type ``slot_label`` names a slot of another function. Beside it a slot of type
``slot_value`` (or a plain text called ``old_value``, ``newValue``, ``value`` …) holds a value of
the slot that is named. Knows specs only; the values are bound elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from constrained_du.specs.schema import Entity, Member, Reference, SlotLabel, Text, Union, walk
from constrained_du.specs.spec import SLOT_VALUE, Function
from constrained_du.text.lexicon import words_of

CONVERSATION = "x-conversation"
"""The key in a spec that marks a built-in conversation function and says which one it is."""
VALUE_NAMES = frozenset(
    ("value", "old value", "new value", "old", "new", "from value", "to value", "original value", "current value",
     "previous value")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Instance:
    """A slot of another function: ``member`` of the function ``owner``."""

    owner: str
    member: Member

    @property
    def label(self) -> str:
        return self.member.name

    @property
    def is_sayable(self) -> bool:
        """Whether a value of it fits into another function: recursive ones do not."""
        return not any(isinstance(part, Reference) for part in walk(self.member.schema))


def label_slot(function: Function) -> str | None:
    """The slot that names another slot; the first, if there are several."""
    return next((slot.name for slot in function.slots if isinstance(slot.schema, SlotLabel)), None)


def value_slots(function: Function) -> tuple[str, ...]:
    """The slots that hold a value of the slot that is named."""
    named = label_slot(function) is not None
    return tuple(slot.name for slot in function.slots if _holds_value(slot, named))


def _holds_value(slot: Member, named: bool) -> bool:
    match slot.schema:
        case Entity(kind):
            return kind == SLOT_VALUE
        case Union(options) if named:
            return any(_holds_value(Member(slot.name, option), named) for option in options)
        case Text() as text:
            return named and text.is_plain and " ".join(words_of(slot.name)) in VALUE_NAMES
        case _:
            return False


def instances(functions: Iterable[Function]) -> tuple[Instance, ...]:
    """The slots that can be named: all but those of functions that name slots themselves, and of built-in ones."""
    return tuple(
        Instance(function.label, slot)
        for function in functions
        if CONVERSATION not in function.extras and not _speaks_of_slots(function)
        for slot in function.slots
    )


def _speaks_of_slots(function: Function) -> bool:
    return bool(value_slots(function)) or any(isinstance(s, SlotLabel) for s in walk(function.record))


def surfaces(found: Iterable[Instance]) -> Mapping[str, tuple[str, ...]]:
    """By label what people call the slot: its title, and the head of its description."""
    names: dict[str, dict[str, None]] = {}
    for instance in found:
        own = names.setdefault(instance.label, {})
        member = instance.member
        own.update(dict.fromkeys(text for text in (member.title, *_heads(member.description)) if text))
    return {label: tuple(own) for label, own in names.items()}


_HEAD = re.compile(
    r"(?:the |an? )?(?P<head>.+?)(?P<rest> (?:of|to|for|in|on|at|from|that|which|by|with|when)\b.*)?\.?", re.IGNORECASE
)
_OF = re.compile(r" of (?:the |an? )?(\w+)", re.IGNORECASE)
_MODIFIER = re.compile(r".*(?:的|の|する|したい|りたい|きたい)(?=.)")


def _heads(description: str) -> tuple[str, ...]:
    """The noun that a description is about, without what modifies it."""
    if not description:
        return ()
    if not description.isascii():
        return (_MODIFIER.sub("", re.split(r"[，。、（(]", description)[0]),)
    match = _HEAD.fullmatch(description.split(",")[0].strip())
    if match is None:
        return ()
    owned = _OF.match(match["rest"] or "")
    return (match["head"], *([owned[1]] if owned is not None else []))
