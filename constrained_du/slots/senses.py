"""Which listed value words mean, where none was said by name: "jog" of "run", "my sheets" of "linen_change".

The meaning of short phrases against the meaning of each value; one embedding a phrase, the values' own were made at
``finalize``. Knows slots and one utterance; weighs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Embedder
from constrained_du.slots.places import Place, is_listed
from constrained_du.slots.view import View
from constrained_du.specs.schema import Enumerated
from constrained_du.text.lexicon import FUNCTION_WORDS, VERBS, stem, words_of
from constrained_du.text.synonyms import other_names
from constrained_du.types import JsonValue, Span

MOST_VALUES = 60  # of a slot; more are names of things, whose meaning says little
MOST_NAMES = 5  # of a value: its own words and what it is glossed as
MOST_PHRASES = 24  # embedded for one utterance: 3 ms each
LONGEST = 3  # units of a phrase
APART = 0.1  # by how much a phrase is at least more like a value than like the slot, and the function, as a whole
MEANT = 0.5  # cosine above which a phrase is worth something
SCALE = 10.0  # cosines of short texts differ by a few hundredths


@dataclass(frozen=True, slots=True)
class Sense:
    """The value of a slot that a phrase is likest, by how much (``near``: its cosine beyond MEANT, ``ahead``: beyond
    the next value's; both scaled), and where it was said."""

    value: JsonValue
    span: Span
    near: float
    ahead: float


def has_senses(place: Place) -> bool:
    """Whether a slot lists words whose meaning may be told: not too many, no numbers, truths, or units and the like, which
    are said by name."""
    if not is_listed(place) or place.is_boolean or not isinstance(place.schema, Enumerated):
        return False
    values = place.schema.values
    if not 1 < len(values) <= MOST_VALUES or not all(isinstance(v, str) and any(map(str.isalpha, v)) for v in values):
        return False
    return 2 * sum(bool(other_names(str(value), frozenset())) for value in values) < len(values)


def names_of(place: Place) -> list[list[str]]:
    """For each value of a slot that has senses what it is called, and the words that only it has: "engine" of "engine_check"."""
    assert isinstance(place.schema, Enumerated)
    values = map(str, place.schema.values)
    return [[*[_spoken(v), *place.aliases.get(v, ())][:MOST_NAMES], *place.halves.get(v, ())] for v in values]


def _spoken(value: str) -> str:
    return " ".join(words_of(value)) or value


def names_held(places: Iterable[Place]) -> int:
    """How many vectors ``embedded`` makes of slots."""
    return sum(len(own) for place in filter(has_senses, places) for own in names_of(place))


def embedded(places: Sequence[Place], embedder: Embedder) -> NDArray[np.float32]:
    """The vectors (names, size) of all values of all slots that have senses, in their order."""
    names = [name for place in places if has_senses(place) for own in names_of(place) for name in own]
    return np.stack([embedder.embed(name) for name in names]) if names else np.zeros((0, embedder.size), np.float32)


def free_units(view: View, usual: Collection[str], taken: Iterable[Span]) -> list[bool]:
    """Whether each unit may mean a value: a word of content that is no number or time, not ``usual`` for the function, and
    not ``taken`` by another value."""
    within = {i for span in taken for i in range(view.within(span)[0], view.within(span)[1] + 1)}
    units = enumerate(zip(view.is_content, view.marked, view.stems, strict=True))
    return [
        means and not mark and word not in usual and i not in within and not _is_form(word) for i, (means, mark, word) in units
    ]


def _is_form(word: str) -> bool:
    """Whether a word is a form of a verb that says nothing of what is wanted: "needing", "looked"."""
    roots = (word.removesuffix("ing"), word.removesuffix("ed"))
    return any(root != word and (root in FUNCTION_WORDS or root in VERBS) for root in roots)


def phrases(view: View, free: Sequence[bool]) -> list[Span]:
    """Runs of a few units that begin and end with ``free`` ones, words of content that nothing explains, and hold no others."""
    found = []
    for length in range(1, LONGEST + 1):
        for first in range(len(view.units) - length + 1):
            last = first + length - 1
            inside = range(first, last + 1)
            if free[first] and free[last] and all(free[i] or not view.is_content[i] for i in inside):
                found.append(view.span_of(first, last))
    return found[:MOST_PHRASES]


@dataclass(frozen=True, slots=True)
class Meanings:
    """What was embedded of a function: itself (size,), its slots (slots, size), and what ``embedded`` made of their values."""

    function: NDArray[np.float32]
    slots: NDArray[np.float32]
    values: NDArray[np.float32]


def senses(
    embedder: Embedder,
    view: View,
    places: Sequence[Place],
    meanings: Meanings,
    free: Mapping[str, Sequence[bool]],
    usual: Collection[str] = (),
) -> dict[str, Sense]:
    """The likeliest value for each slot with senses that ``free`` names; it gives the units that may mean one of its values.
    ``places`` are all slots of the function; a value with a word that is ``usual`` for it is not told by meaning."""
    found: dict[str, Sense] = {}
    start = 0
    for place, slot in zip(places, meanings.slots, strict=True):
        counts = [len(own) for own in names_of(place)] if has_senses(place) else []
        own, start = meanings.values[start : start + sum(counts)], start + sum(counts)
        spans = phrases(view, free[place.name]) if place.name in free else []
        if spans:
            said = np.stack([embedder.embed(view.text[span.start : span.end]) for span in spans])
            cosines = np.maximum.reduceat(own @ said.T, np.cumsum([0, *counts[:-1]]))
            whole = np.maximum(said @ meanings.function, said @ slot)
            cosines = np.where(cosines > whole + np.float32(APART), cosines, 0.0)
            cosines[[any(stem(word) in usual for word in words_of(own[0])) for own in names_of(place)]] = 0.0
            found[place.name] = _likeliest(place, cosines, spans)
    return found


def _likeliest(place: Place, cosines: NDArray[np.float32], spans: Sequence[Span]) -> Sense:
    """``cosines`` (values, phrases)."""
    assert isinstance(place.schema, Enumerated)
    best = cosines.max(axis=1)
    value, top, second = int(best.argmax()), float(best.max()), float(np.sort(best)[-2])
    ahead = SCALE * (top - second) if top > MEANT else 0.0
    return Sense(place.schema.values[value], spans[int(cosines[value].argmax())], SCALE * max(0.0, top - MEANT), ahead)
