"""Values that a spec lists: how clearly each was said, and where.

Knows one utterance and the slots of one function; weighs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from constrained_du.slots import slot_features as of_slot
from constrained_du.slots.picks import is_pick, ordinal
from constrained_du.slots.places import Place, is_listed, words_in
from constrained_du.slots.view import View
from constrained_du.specs.schema import Enumerated
from constrained_du.text.lexicon import FUNCTION_WORDS, stem, words_of
from constrained_du.text.opposites import Sides, in_english, opposed, sides
from constrained_du.text.synonyms import abbreviates, akin, inflects, initials, misspelt
from constrained_du.types import JsonValue, Span

SIDED = 0.8  # how clearly one of two opposites is said by a word that means it
MISSPELT = 0.7  # how clearly a value is said by its word with a slip
AKIN = 0.9  # how clearly a value is said by another form of its word
TELLING = 0.6  # how clearly a value is said by the words that only it has
HALF = 0.3  # how clearly a value is said by one of its two words
IMPLIED = 0.7  # how clearly a value is said that another slot's value implies


@lru_cache(maxsize=4096)
def _sides_of(value: str) -> Sides:
    return in_english(sides(value.replace("_", " ")))


@dataclass(frozen=True)
class Mentions:
    """``others`` are all slots of the function, ``expected`` those that were asked for."""

    view: View
    others: tuple[Place, ...]
    expected: frozenset[str]
    about: frozenset[str] = frozenset()
    """Stems of the function's own name and description."""

    def of(self, place: Place, value: JsonValue) -> tuple[float, Span | None]:
        """How clearly an enum's value is said (0 to 1), and where; nowhere, if only another slot's value holds it."""
        strength, span = self._mention(place, value)
        return (IMPLIED, None) if self._is_implied(place, value, span) else (strength, span)

    def _is_implied(self, place: Place, value: JsonValue, span: Span | None) -> bool:
        """Whether what was said is another slot's value, made of this one's word: "locked" of the kind "lock"."""
        if not isinstance(value, str) or not isinstance(place.schema, Enumerated):
            return False
        texts = (value, *place.aliases.get(value, ()))
        return any(
            other != place.name and (span is None or said.start <= span.start < span.end <= said.end)
            and any(of_slot.is_made_of(words, text) for text in texts)
            for other, words, said in self._said_values
        )

    @cached_property
    def _said_values(self) -> tuple[tuple[str, str, Span], ...]:
        """What slots list and was said, word for word: slot, words, span."""
        found = (
            (place.name, self._mention(place, value))
            for place in self.others if is_listed(place) and isinstance(place.schema, Enumerated) for value in place.schema.values
        )
        return tuple(
            (name, self.view.text[span.start : span.end].casefold(), span)
            for name, (strength, span) in found if strength == 1.0 and span is not None
        )

    def _mention(self, place: Place, value: JsonValue) -> tuple[float, Span | None]:
        if value is None:
            return 0.0, None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number_said(place, value)
        texts = [str(value), *place.aliases.get(str(value), ())]
        best: tuple[float, Span | None] = (0.0, None)
        if str(value).isdecimal():
            best = self._number_said(place, int(str(value)))
        for text in texts:
            found = self._phrase(text)
            if found[0] > best[0]:
                best = found
        if best[0] == 0.0 and place.name in self.expected:
            best = self._ordinal(place, value)
        if best[0]:
            return best
        ways = (self._telling, self._sided, self._half)
        return max(self._akin(str(value)), *(way(place, str(value)) for way in ways), key=lambda found: found[0])

    def _telling(self, place: Place, value: str) -> tuple[float, Span | None]:
        """Whether the words of a listed value that no other one has were said: "bedroom" of "bedroom lamp" and "kitchen lamp"."""
        words = place.telling.get(value, ())
        stems = self.view.stems
        if not words or not all(word in stems for word in words):
            return 0.0, None
        at = stems.index(words[0])
        return TELLING, self.view.span_of(at, at)

    def _half(self, place: Place, value: str) -> tuple[float, Span | None]:
        """Whether one of a listed value's two words was said, which no other value has and which is none of the slot's name:
        "towels" of "bath_towel"."""
        word = next((word for word in place.halves.get(value, ()) if word in self.view.stems and word not in self.about), None)
        at = self.view.stems.index(word) if word is not None else -1
        return (0.0, None) if word is None else (HALF, self.view.span_of(at, at))

    def _akin(self, value: str) -> tuple[float, Span | None]:
        """Whether what a listed value abbreviates was said ("romantic comedy" of "rom_com"), another form of its only word, or
        the word with a slip: "dentist" of "dentistry"."""
        words = words_of(value)
        for first in range(len(self.view.stems) - len(words) + 1):
            said = self.view.stems[first : first + len(words)]
            if words and all(abbreviates(short, word) for short, word in zip(words, said, strict=True)):
                return AKIN, self.view.span_of(first, first + len(words) - 1)
        letters = len(value) if 3 <= len(value) <= 5 and value.isalpha() else len(self.view.stems) + 1
        for first in range(len(self.view.stems) - letters + 1):
            if initials(self.view.stems[first : first + letters]) == value.casefold():
                return AKIN, self.view.span_of(first, first + letters - 1)
        for test, strength in ((akin, AKIN), (inflects, AKIN), (misspelt, MISSPELT)) if len(words) == 1 else ():
            at = next((i for i, word in enumerate(self.view.stems) if test(word, words[0])), None)
            if at is not None:
                return strength, self.view.span_of(at, at)
        return 0.0, None

    @cached_property
    def _sides(self) -> Sides:
        return in_english(sides(self.view.text))

    def _sided(self, place: Place, value: str) -> tuple[float, Span | None]:
        """Whether one of two opposite values was said in other words: "shut it" of "open" and "close", つけて of "on"."""
        own = _sides_of(value)
        if not own or not isinstance(place.schema, Enumerated):
            return 0.0, None
        rivals = any(opposed(own) & _sides_of(str(other)) for other in place.schema.values)
        meant = rivals and own & self._sides and not opposed(own) & self._sides
        return (SIDED, None) if meant else (0.0, None)

    def _number_said(self, place: Place, value: float) -> tuple[float, Span | None]:
        """Where a number was said: beside the slot's name, if it was said several times ("1 bedroom and 1 bath")."""
        found = ordinal(self.view.text)
        if found is not None and found[0] == value:
            return 1.0, found[1]
        said = (Span(number.start, number.end) for number in self.view.numbers if number.value == value)
        spans = [span for span in said if self.view.kinds[span] == "number"]
        best = max(spans, key=lambda span: of_slot.named(self.view, place, *self.view.within(span)), default=None)
        return (0.0, None) if best is None else (1.0, best)

    def _phrase(self, text: str) -> tuple[float, Span | None]:
        """A phrase in the utterance: whole (1), or the share of its content words."""
        wanted = [stem(w) for part in words_in(text) for w in words_of(part) or (part,)]
        stems = self.view.stems
        for at in range(len(stems) - len(wanted) + 1):
            if wanted and list(stems[at : at + len(wanted)]) == wanted:
                return 1.0, self.view.span_of(at, at + len(wanted) - 1)
        content = [word for word in wanted if word not in FUNCTION_WORDS]
        there = [word for word in content if word in stems]
        if there and len(there) * 2 > len(content):
            at = stems.index(there[0])
            return 0.6 * len(there) / len(content), self.view.span_of(at, at)
        return 0.0, None

    def _ordinal(self, place: Place, value: JsonValue) -> tuple[float, Span | None]:
        """"the second one": a pick from the list of values, when it was asked for."""
        found = ordinal(self.view.text)
        if not isinstance(place.schema, Enumerated) or found is None or not is_pick(self.view.text):
            return 0.0, None
        values, (at, span) = place.schema.values, found
        fits = 0 < abs(at) <= len(values) and values[at - 1 if at > 0 else at] is value
        return (0.9, span) if fits else (0.0, None)
