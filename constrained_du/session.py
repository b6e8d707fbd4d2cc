"""A conversation's state over turns: what was asked, what is filled, what was said.

Knows a converter and calls; how an utterance is understood is the converter's business. One
session belongs to one conversation, and is not meant for several threads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from constrained_du.answers.ellipsis import states_intent
from constrained_du.converter import Converter
from constrained_du.decoding.prompt import clarification
from constrained_du.domain.conversation import kind_of
from constrained_du.domain.requests import HISTORY
from constrained_du.errors import InputError
from constrained_du.specs.instances import label_slot, value_slots
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import words_of
from constrained_du.text.words import atoms
from constrained_du.types import Call, JsonValue, Result, compact_json

SHORT = 12  # words (letters, in scripts without spaces) of what may go on with a call that is complete
_OLD = frozenset(("old", "original", "previous", "current", "from"))

Operators = Mapping[str, list[tuple[str, JsonValue]]]


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a value belongs in the call, by what was just said: whether it can fill a slot, and which slot the words
    give it to if they are about the call alone (None where they do not say)."""

    fits: Callable[[str, JsonValue], bool]
    slot_of: Callable[[JsonValue], str | None]


@dataclass(frozen=True, slots=True)
class Frame:
    """The call that is being talked about. ``waived`` slots may be anything; ``reopened`` ones
    are asked for again, since the user wants another value and has not said which."""

    function: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    operators: Operators = field(default_factory=dict)
    waived: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()

    def with_values(self, arguments: Mapping[str, JsonValue], operators: Operators) -> Frame:
        """The frame with what was just said over what was said before."""
        waived = [slot for slot, pairs in operators.items() if all(operator == "dontcare" for operator, _ in pairs)]
        said = arguments.keys() | operators.keys()
        return Frame(
            self.function,
            {**{slot: v for slot, v in self.arguments.items() if slot not in said}, **arguments},
            {**{slot: v for slot, v in self.operators.items() if slot not in said}, **operators},
            (*(slot for slot in self.waived if slot not in said), *waived),
            tuple(slot for slot in self.reopened if slot not in said),
        )

    def without(self, slot: str) -> Frame:
        """The frame with a slot to be asked for again."""
        kept = {name: value for name, value in self.arguments.items() if name != slot}
        return replace(self, arguments=kept, reopened=(slot, *(name for name in self.reopened if name != slot)))

    def waiving(self, slot: str) -> Frame:
        waived = (*(name for name in self.waived if name != slot), slot)
        return replace(self, waived=waived, reopened=tuple(name for name in self.reopened if name != slot))


@dataclass(frozen=True, slots=True)
class Turn:
    """What one utterance led to.

    ``result`` is what the converter understood. ``call`` has the slots of the whole
    conversation (``spans`` those of this utterance). ``complete``: it can be carried out.
    ``question`` is what to ask now; after a "repeat" or "help" it is still the open one.
    """

    result: Result
    call: Call
    missing: tuple[str, ...] = ()
    question: str | None = None
    complete: bool = False


class Session:
    """A conversation with one user; ``say`` each utterance in turn."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._frame: Frame | None = None
        self._history: tuple[str, ...] = ()

    # -- what is known ---------------------------------------------------------------------

    @property
    def function(self) -> str | None:
        """The function that is being talked about."""
        return None if self._frame is None else self._frame.function

    @property
    def slots(self) -> dict[str, JsonValue]:
        """Its slots that are filled, in spec order."""
        if self._frame is None:
            return {}
        arguments = self._frame.arguments
        return {slot.name: arguments[slot.name] for slot in self._spec().slots if slot.name in arguments}

    @property
    def missing(self) -> tuple[str, ...]:
        """What is to be asked for, the next first."""
        frame = self._frame
        if frame is None:
            return ()
        said = frame.arguments.keys() | frame.operators.keys() | set(frame.waived)
        required = (slot.name for slot in self._spec().slots if slot.required and slot.name not in said)
        return tuple(dict.fromkeys((*frame.reopened, *required)))

    @property
    def expectations(self) -> list[tuple[str, str]]:
        """(slot, function) of what is being asked for, the next question first."""
        return [(slot, self._frame.function) for slot in self.missing] if self._frame is not None else []

    @property
    def history(self) -> tuple[str, ...]:
        """The last utterances, oldest first; at most four."""
        return self._history

    @property
    def question(self) -> str | None:
        """What to ask now, if something is missing."""
        missing = self.missing
        return clarification(self._spec(), self._spec().slot[missing[0]]) if missing else None

    def clear(self) -> None:
        """Forgets the call and the history."""
        self._frame, self._history = None, ()

    # -- a turn ----------------------------------------------------------------------------

    def say(
        self, utterance: str, entities: Mapping[str, Sequence[Any]] | None = None, now: datetime | None = None
    ) -> Turn:
        """Understands an utterance in this conversation; ``entities`` and ``now`` as in ``convert``.

        An error leaves the session as it was.
        """
        result = self._understood(utterance, entities, now)
        call = result.calls[-1]
        kind = kind_of(self._converter.domain, call.name)
        if kind in ("abort_intent", "close_session"):
            self.clear()
            return Turn(result, call, complete=True)
        def fits(slot: str, value: JsonValue) -> bool:
            said = {"name": self.function, "arguments": {slot: value}}
            return self._converter.accepts(said, utterance, entities, None, now)

        def slot_of(value: JsonValue) -> str | None:
            """The slot that the words give a value to, where they are about the call alone: "to Boston instead"."""
            told = self._converter.convert(
                utterance, entities, None, self._history, now, functions=[str(self.function)], tool_choice="required"
            ).calls[-1]
            return next((slot for slot, own in told.arguments.items() if own == value), None)

        changed = self._after(call, kind, utterance, Placing(fits, slot_of))
        if utterance.strip():
            self._history = (*self._history, utterance)[-HISTORY:]
        if changed is None:
            return Turn(result, call, self.missing, self.question, call.understood and not call.missing)
        self._frame = changed
        return Turn(result, self._merged(call), self.missing, self.question, not self.missing)

    def _understood(self, utterance: str, entities: Any, now: datetime | None) -> Result:
        """What the words mean here; a short utterance that means nothing else may go on with the call."""
        first = self._converter.convert(utterance, entities, self.expectations or None, self._history, now)
        if first.understood or self._frame is None or len(atoms(utterance)) > 2 * SHORT:
            return first
        label = self._frame.function
        going_on = [(slot.name, label) for slot in self._spec().slots]
        again = self._converter.convert(utterance, entities, going_on, self._history, now, functions=[label])
        return again if again.understood and (again.calls[-1].arguments or again.calls[-1].operators) else first

    def _after(self, call: Call, kind: str | None, utterance: str, placing: Placing) -> Frame | None:
        """The frame once the call is taken in; None where the call changes nothing in it."""
        frame, function = self._frame, self._converter.domain.by_label.get(call.name)
        if function is None:
            return None
        asked = self.missing[0] if self.missing else None
        if value_slots(function) and (frame is not None or kind is not None):
            return None if frame is None else self._corrected(frame, function, call, placing)
        match kind:
            case "dont_care" if frame is not None and asked is not None:
                return frame.waiving(asked)
            case "pick" if frame is not None and asked is not None and "item" in call.arguments:
                return frame.with_values({asked: call.arguments["item"]}, {})
            case None:
                return self._continued(function, call, utterance).with_values(call.arguments, call.operators)
        return None

    def _continued(self, function: Function, call: Call, utterance: str) -> Frame:
        """The frame that a call goes on with: the same one if it answers or adds to it, else a new one."""
        frame = self._frame
        if frame is None or frame.function != function.label:
            return Frame(function.label)
        starts_anew = not self.missing and states_intent(function, utterance, call.spans.values())
        return Frame(function.label) if starts_anew else frame

    def _corrected(self, frame: Frame, function: Function, call: Call, placing: Placing) -> Frame | None:
        """The frame with one slot changed; None if it has no such slot."""
        named = label_slot(function)
        label = call.arguments.get(named) if named is not None else None
        values = [name for name in value_slots(function) if not _OLD & set(words_of(name))]
        said = next((name for name in values if name in call.arguments), None)
        if said is None:
            return frame.without(label) if label in self._spec().slot and isinstance(label, str) else None
        value = call.arguments[said]
        if not isinstance(label, str):
            old = [call.arguments[name] for name in value_slots(function) if name != said and name in call.arguments]
            label = self._slot_of(frame, value, old, placing)
        return frame.with_values({label: value}, {}) if label in self._spec().slot and label is not None else None

    def _slot_of(self, frame: Frame, value: JsonValue, old: Sequence[JsonValue], placing: Placing) -> str | None:
        """The slot that a new value is for: whose value was named, else which the words say, else the first filled one
        that it fits."""
        filled = [slot.name for slot in self._spec().slots if slot.name in frame.arguments]
        fitting = [slot for slot in filled if placing.fits(slot, value)]
        named = [slot for slot in fitting if frame.arguments[slot] in old]
        told = placing.slot_of(value) if len(fitting) > 1 and not named else None
        return next(iter((*named, *(slot for slot in fitting if slot == told), *fitting)), None)

    def _spec(self) -> Function:
        assert self._frame is not None
        return self._converter.domain.by_label[self._frame.function]

    def _merged(self, call: Call) -> Call:
        """The call of the frame; spans and confidence are those of the utterance."""
        assert self._frame is not None
        spans = call.spans if call.name == self._frame.function else {}
        operators = dict(self._frame.operators)
        return Call(self._frame.function, self.slots, spans, operators, self.missing, self.question, call.confidence)

    # -- JSON ------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The session as a JSON text; ``from_json`` with a converter of the same functions restores it."""
        frame = self._frame
        written: dict[str, JsonValue] = {"version": 1, "history": list(self._history), "frame": None}
        if frame is not None:
            written["frame"] = {
                "function": frame.function,
                "arguments": self.slots,
                "operators": {slot: [list(pair) for pair in pairs] for slot, pairs in frame.operators.items()},
                "waived": list(frame.waived),
                "reopened": list(frame.reopened),
            }
        return compact_json(written)

    @classmethod
    def from_json(cls, converter: Converter, text: str) -> Session:
        """The session that ``to_json`` wrote. Raises InputError for anything else, and for
        functions and slots that the converter does not have."""
        session = cls(converter)
        try:
            read = json.loads(text)
            if read["version"] != 1 or not all(isinstance(item, str) for item in read["history"]):
                raise ValueError("another version, or no list of utterances")
            session._history = tuple(read["history"])[-HISTORY:]
            if read["frame"] is not None:
                session._frame = _frame(read["frame"], converter)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as problem:
            raise InputError(f"this is no session of this converter ({problem}) - start a new one") from None
        return session


def _frame(read: Mapping[str, Any], converter: Converter) -> Frame:
    function = converter.domain.by_label.get(read["function"])
    if function is None:
        raise ValueError(f"there is no function {read['function']!r}")
    operators = {slot: [(str(name), value) for name, value in pairs] for slot, pairs in read["operators"].items()}
    frame = Frame(function.label, dict(read["arguments"]), operators, tuple(read["waived"]), tuple(read["reopened"]))
    for slot in (*frame.arguments, *frame.operators, *frame.waived, *frame.reopened):
        if slot not in function.slot:
            raise ValueError(f"{function.label!r} has no slot {slot!r}")
    return frame
