"""What the words do to the values of an answer: negated, bounded, alternative, indifferent, forbidden.

Reads the operators of an utterance against the slots of one function. Knows no scores but
those of fillings, and no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from constrained_du.decoding.prompt import exemplar_text, portrait
from constrained_du.domain.deeds import withheld
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import Request
from constrained_du.slots import operators
from constrained_du.slots.fillings import Filling
from constrained_du.slots.view import View
from constrained_du.specs.schema import ListOf, Text
from constrained_du.specs.spec import Function
from constrained_du.text.acts import Unasked, turn, unasked
from constrained_du.text.lexicon import NEGATORS, words_of
from constrained_du.text.synonyms import akin, inflects
from constrained_du.text.words import atoms, is_mostly_unspaced
from constrained_du.types import JsonValue, Span

UNDOING = ("取消", "删除", "停止", "关闭", "キャンセル", "削除")
NEGATED = 5.0  # log odds that a negated value loses where another was said ("not Monday, Tuesday")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
Operators = dict[str, list[tuple[str, JsonValue]]]


@dataclass(frozen=True)
class Marks:
    """The operators of one utterance, for the slots of any function."""

    domain: Domain
    request: Request
    view: View
    _at: dict[Span, operators.Mark | None] = field(default_factory=dict)

    def less_negated(self, function: Function, slot: str, own: list[Filling]) -> list[Filling]:
        """Where one value is negated, or taken back, and another said, the other is meant."""
        said = [f for f in own[:8] if f.score > -2 and f.spans]
        marked = [f for f in said if self._mark(function, slot, f) == "!=" or self._is_corrected(f, said) or self._is_left(f)]
        if not any(a is not b and not a.spans[0][1].overlaps(b.spans[0][1]) for a in marked for b in said if b not in marked):
            return own
        lowered = [replace(f, score=f.score - NEGATED) if f in marked else f for f in own]
        return sorted(lowered, key=lambda filling: -filling.score)

    def _is_left(self, filling: Filling) -> bool:
        """Whether a value was said in what is forbidden, before what is asked for."""
        return self._turn is not None and all(span.end <= self._turn for _, span in filling.spans)

    @cached_property
    def _turn(self) -> int | None:
        return turn(self.view.text)

    def _is_corrected(self, filling: Filling, said: Sequence[Filling]) -> bool:
        return any(operators.corrects(self.view, filling.spans[0][1], other.spans[0][1]) for other in said)

    def _mark(self, function: Function, slot: str, filling: Filling) -> str | None:
        """The operator on a filling, unless the slot itself means it."""
        for _, span in filling.spans:
            if span not in self._at:
                self._at[span] = operators.mark_of(self.view, span)
            mark = self._at[span]
            if mark is not None:
                member = function.slot[slot]
                words = f"{slot.replace('_', ' ')} {member.description}".casefold()
                return None if operators.own_meaning(words, mark.operator) else mark.operator
        return None

    def forbid(self, function: Function) -> bool:
        """Whether the words ask for none of what the function does, or for its opposite: "don't cancel it" of what cancels,
        "don't book it" of what books, and has no word of not doing so. An answer may be told in any way."""
        if self.unasked is not None and (self.unasked.kind in ("forbidden", "back") or not self._is_expected(function)):
            return self._withheld[self.domain.index[function.label]]
        verb = operators.forbidden(self.view) if is_mostly_unspaced(self.view.text) else ""
        return bool(verb) and (self._names(function, verb) or not self._speaks_of_not(function))

    @cached_property
    def unasked(self) -> Unasked | None:
        """What keeps the utterance from asking for what it speaks of."""
        return unasked(self.view.text)

    @cached_property
    def _withheld(self) -> tuple[bool, ...]:
        return withheld(self.domain.deeds, self.view.text)

    def _is_expected(self, function: Function) -> bool:
        return any(expectation.function == function.label for expectation in self.request.expectations)

    @staticmethod
    def _names(function: Function, verb: str) -> bool:
        """Whether a forbidden verb is the function's own."""
        if any(verb.startswith(sign) and sign in portrait(function) for sign in UNDOING):
            return True
        words = words_of(f"{function.label} {function.name}")
        return any(akin(verb, word) or inflects(word, verb) for word in words)

    def _speaks_of_not(self, function: Function) -> bool:
        shown = (operators.without_idioms(exemplar_text(own)) for own in self.domain.exemplars_of.get(function.label, ()))
        texts = [portrait(function), *shown]
        words = {atom.text.casefold() for text in texts for atom in atoms(text)}
        return bool(words & (NEGATORS | {"cancel", "stop", "nothing", "取消", "停"})) or any(
            sign in text for text in texts for sign in ("别", "不", "ない", "キャンセル", "取消", "停")
        )

    def is_too_late(self, function: Function, chosen: Sequence[Filling | None]) -> bool:
        """Whether something shall be done on a day that has passed: "book it for yesterday"."""
        now, deed = self.request.now, self.domain.deeds[self.domain.index[function.label]]
        if now is None:
            return False
        days = (
            filling.value[:10] for slot, filling in zip(function.slots, chosen, strict=True)
            if filling is not None and filling.spans and isinstance(filling.value, str) and isinstance(slot.schema, Text)
            and slot.schema.format in ("date", "date-time") and deed.lies_ahead(slot)
        )  # fmt: skip
        return any(day < now.date().isoformat() for day in days if _DAY.fullmatch(day))

    def exclude(self, function: Function, chosen: Sequence[Filling | None]) -> bool:
        """Whether the words make an exception that no slot of the answer means."""
        return operators.excludes(self.view) and not any(
            filling is not None and operators.own_meaning(f"{slot.name} {slot.description}".casefold(), "!=")
            for slot, filling in zip(function.slots, chosen, strict=True)
        )

    def of(self, function: Function, chosen: Sequence[Filling | None], rivals: Sequence[Sequence[Filling]]) -> Operators:
        """The slots of an answer that are negated, bounded, alternative or indifferent;
        ``rivals`` are the fillings of each slot."""
        found: dict[str, list[tuple[str, JsonValue]]] = {}
        for slot, filling, others in zip(function.slots, chosen, rivals, strict=True):
            if filling is None:
                continue
            operator = self._mark(function, slot.name, filling)
            joined = [] if operator is not None else self._joined_by_or(slot.schema, filling, others)
            if operator is not None:
                found[slot.name] = [(operator, filling.value)]
            elif joined:
                found[slot.name] = [("or", joined)]
        return found | self._indifferent(function, chosen)

    def _indifferent(self, function: Function, chosen: Sequence[Filling | None]) -> Operators:
        asked = {e.slot for e in self.request.expectations if e.function == function.label and e.slot}
        if not asked or not operators.is_indifferent(self.view):
            return {}
        empty = [slot.name for slot, filling in zip(function.slots, chosen, strict=True) if filling is None]
        return {name: [("dontcare", None)] for name in empty if name in asked}

    def _joined_by_or(self, schema: object, filling: Filling, rivals: Sequence[Filling]) -> list[JsonValue]:
        if isinstance(schema, ListOf) or not filling.spans:
            return []
        others = [f for f in rivals if f.spans and f.score > 0 and not f.spans[0][1].overlaps(filling.spans[0][1])]
        joined = [f for f in others if operators.alternatives(self.view, [filling.spans[0][1], f.spans[0][1]])]
        everything = sorted([filling, *joined[:3]], key=lambda f: f.spans[0][1]) if joined else []
        return [f.value for f in everything]
