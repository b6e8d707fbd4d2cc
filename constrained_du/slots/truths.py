"""Whether a slot that is true or false was said to be so: its own words said plainly or negated, opposites, yes and no.

Knows slots and one utterance; weighs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from constrained_du.slots.places import Place
from constrained_du.slots.view import View
from constrained_du.text.lexicon import FUNCTION_WORDS, NEGATORS
from constrained_du.text.opposites import compared, sides
from constrained_du.text.polarity import polarity

SHORT = 6  # words up to which a yes or a no is about the slot, though nothing was asked
OPPOSITE, CALLED, TOLD = 1.5, 1.3, 0.7  # evidence of opposite actions, of words of the slot's name, of its description


def truth(
    view: View,
    place: Place,
    others: Sequence[Place],
    expected: Collection[str],
    explained: Collection[str],
    about: Collection[str],
) -> float:
    """Evidence that a slot is true; below 0, that it is false. ``others`` are all slots of the function, ``expected`` those that
    were asked for, ``explained`` the stems of its words and exemplars, ``about`` those of its name."""
    words, stems = view.words, view.stems
    asked = place.name in expected
    verdict = float(polarity(view.text).leaning) if asked or (not expected and len(words) <= SHORT) else 0.0
    if verdict and asked:
        return verdict
    same, opposite = compared(sides(view.text), sides(place.name.replace("_", " ")))
    verdict += OPPOSITE * (same - opposite)
    if len(place.name_words) > 1 and place.name_words <= {part for word in stems for part in word.split("-")}:
        return CALLED  # all that it is called was said: a "fee-free" one is free of fees
    topic = _topic(place, others, explained, about)
    at = next((index for index, said in enumerate(stems) if said in topic), None)
    if at is None:
        return verdict
    negated = any(word in NEGATORS or word.endswith("n't") for word in words[max(0, at - 3) : at])
    lacks = "free" in place.name_words and stems[at] != "free"  # "without an entry fee" is a free entry
    return verdict + (-1.0 if negated is not lacks else CALLED if stems[at] in place.name_words else TOLD)


def _topic(place: Place, others: Sequence[Place], explained: Collection[str], about: Collection[str]) -> set[str]:
    """The stems that speak of a slot and of no other: a "day" says nothing of "half_day" where other slots are about days."""
    topic = {w for w in place.own_words if w not in explained} | {w for w in place.name_words if w not in about}
    if len(place.name_words) > 1:
        topic -= {word for other in others if other.name != place.name for word in other.own_words}
    return topic - FUNCTION_WORDS
