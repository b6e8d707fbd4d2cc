"""What stands beside a number: its unit, what it is counted out of, and whether it says by how much something changes.

Plain functions of an utterance, a slot and positions; no weights, no exemplars.
"""

from __future__ import annotations

import re

from constrained_du.slots.places import Place
from constrained_du.slots.view import View
from constrained_du.text.lexicon import stem
from constrained_du.text.synonyms import unit
from constrained_du.types import Span

_OF_SCALES = frozenset("best highest max maximum scale total out of".split())
_OF_TIME = frozenset("min h s day week month year".split())
_TIMELY = frozenset(map(stem, """long duration length time period term stay age old interval every delay ago deadline
    expiry frequency notice date within hour minute second day week month year night lead warranty""".split()))
_SHARED = frozenset(map(stem, """pct percent percentage share level brightness volume speed humidity intensity charge
    battery discount tip rate position opacity power limit threshold open closed interest tax fan light dim""".split()))
_MEASURED = frozenset(("number", "duration", "time", "datetime"))
_AMOUNTS = frozenset(map(stem, """amount quantity size length weight distance dose dosage strength volume much many portion
    measure item ingredient text message note query far long""".split()))
_RHYTHMIC = frozenset(map(stem, "every interval frequency repeat often recurrence cycle period".split()))
CHANGING = frozenset(map(stem, """by change delta step difference adjustment increase decrease raise increment offset
    more less add extra""".split()))
_CHANGED = frozenset("raise raised lower lowered increase decrease reduce cut up down extend boost drop bump turn turned".split())
_UNIT = re.compile(r"[ -]?([A-Za-z°%]+)(?:(?: ?/ ?| per )([A-Za-z]+(?:\^?2|²| squared)?))?")


def unit_beside(view: View, place: Place, span: Span) -> tuple[bool, bool]:
    """Whether the unit after a number is the slot's, and whether it is another one: "9 m/s" is no time in seconds, and "3
    months" are no count, if nothing of the slot speaks of time."""
    after = _UNIT.match(view.text, span.end)
    said = unit("/".join(part for part in after.groups() if part)) if after is not None else ""
    if place.units:
        return said in place.units, bool(said) and said not in place.units
    words = place.own_words
    foreign = (said in _OF_TIME and _TIMELY.isdisjoint(words)) or (said == "percent" and _SHARED.isdisjoint(words))
    own = after is not None and stem(after.group(1).casefold()) in words
    return False, foreign and not own and place.description.isascii()


def is_measure(view: View, place: Place, first: int, last: int) -> bool:
    """Whether words are a number and its unit, in a slot that speaks of no amount: "3 miles" for a place."""
    if last != first + 1 or view.marked[first] != "number" or not unit(view.words[last]):
        return False
    return place.kind not in _MEASURED and _AMOUNTS.isdisjoint(place.own_words)


def is_change(view: View, place: Place, first: int) -> bool:
    """Whether a number says by how much something changes, or how often it comes, and the slot waits for what it shall be:
    "raise it by 10", "every 3 months"."""
    before = view.before(first)
    if before == "every":
        return _RHYTHMIC.isdisjoint(place.own_words)
    if before != "by" or not CHANGING.isdisjoint(place.own_words):
        return False
    return any(word in _CHANGED for word in view.words[max(0, first - 8) : first])


def is_scale(view: View, place: Place, first: int) -> bool:
    """Whether a number is what another is counted out of: "seven out of ten"."""
    return view.words[max(0, first - 2) : first] == ("out", "of") and not place.own_words & _OF_SCALES
