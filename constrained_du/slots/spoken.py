"""Where values of a function's slots were said in one utterance, and which words hold one.

Knows what was supplied, listed and shown; no weights and no features.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from constrained_du.slots import slot_features as of_slot
from constrained_du.slots.contexts import Contexts
from constrained_du.slots.mentions import Mentions
from constrained_du.slots.places import Place, is_listed
from constrained_du.slots.span_features import SHAPED
from constrained_du.slots.view import View
from constrained_du.specs.schema import Enumerated, Number
from constrained_du.text.lexicon import CUES, DETERMINERS, words_of
from constrained_du.types import Span


class Spoken:
    """``places`` are all slots of the function, ``supplied`` the spans of all supplied candidates, ``located`` those of
    the supplied and recognised candidates of each slot."""

    def __init__(
        self,
        view: View,
        places: tuple[Place, ...],
        contexts: Contexts,
        mentions: Mentions,
        supplied: tuple[Span, ...],
        located: Mapping[str, tuple[Span, ...]],
    ) -> None:
        self._view, self._places, self._contexts, self._mentions, self._located = view, places, contexts, mentions, located
        listed = [place for place in places if is_listed(place)]
        said = [mentions.of(place, v) for place in listed for v in place.aliases if len(words_of(v)) > 1]
        self._longer = (*supplied, *(span for strength, span in said if strength == 1.0 and span is not None))
        self.values: Mapping[str, frozenset[Span]] = {
            place.name: self._values_of(place, place in listed) for place in places
        }

    def _values_of(self, place: Place, is_listed: bool) -> frozenset[Span]:
        """Where values of a slot's own kind were said: supplied, listed, given as examples, countries, or of its shape."""
        examples = (self._view.span_of(*units) for units in self._contexts.examples(place))
        said = (*examples, *of_slot.region_spans(self._view, place))
        found = {*self._located.get(place.name, ()), *said}
        for value in place.schema.values if is_listed and isinstance(place.schema, Enumerated) else ():
            strength, span = self._mentions.of(place, value)
            if strength == 1.0 and span is not None and any(self._view.is_content[i] for i in self._range(span)):
                found.add(span)
        if place.kind in SHAPED and (place.kind != "number" or isinstance(place.schema, Number)):
            found.update(span for span, kind in self._view.kinds.items() if of_slot.agree(place.kind, kind))
        return frozenset(found)

    def _range(self, span: Span) -> range:
        first, last = self._view.within(span)
        return range(first, last + 1)

    def swallowed(self, name: str, span: Span, filled: Collection[str] = ()) -> tuple[bool, bool]:
        """Whether a span of words for the slot ``name`` holds a value of another slot that is not ``filled``
        otherwise, and whether it is one."""
        others = [v for other, own in self.values.items() if other != name and other not in filled for v in own]
        inside = any(v != span and span.start <= v.start and v.end <= span.end for v in others)
        return inside, span in others

    def introduces(self, span: Span, filled: Collection[str]) -> bool:
        """Whether a span has "by" and a name inside, and a slot that is not ``filled`` waits for who made it."""
        first, last = self._view.within(span)
        words, units = self._view.words, self._view.units
        named = any(words[i] == "by" and units[i + 1].text[:1].isupper() for i in range(first + 1, last))
        return named and any(place.name not in filled and place.own_words & CUES["by"] for place in self._places)

    def is_nested(self, span: Span) -> bool:
        """Whether a longer supplied or listed value that was said holds this one ("bedroom" in "bedroom lamp"); an
        article makes no value longer."""
        holders = (o for o in self._longer if o.start <= span.start and span.end <= o.end)
        return any(o != span and not (o.end == span.end and self._is_article(o.start, span.start)) for o in holders)

    def _is_article(self, start: int, end: int) -> bool:
        return self._view.text[start:end].strip().casefold() in DETERMINERS
