"""The words around a slot in exemplars, held against the words around each span of one utterance.

Knows an utterance and the slots of one function; weighs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from constrained_du.slots.places import Place
from constrained_du.slots.slot_features import example_spans
from constrained_du.slots.view import END, START, View
from constrained_du.text.lexicon import FUNCTION_WORDS
from constrained_du.text.words import is_unspaced

_NEARNESS = (1.0, 0.5, 0.25)  # weight of the nearest, next, third word
_NEARNESS_UNSPACED = (0.8, 0.6, 0.4, 0.3, 0.2, 0.1)
VAGUE = 0.3  # share of its weight that any word has where an exemplar has another slot

Agreements = list[list[float]]
"""By first and last unit of a span."""


@dataclass
class Contexts:
    """``others`` are all slots of the function."""

    view: View
    others: tuple[Place, ...]
    _found: dict[str, tuple[Agreements, Agreements]] = field(default_factory=dict)
    _examples: dict[tuple[str, str], frozenset[tuple[int, int]]] = field(default_factory=dict)
    _every_example: dict[tuple[str, str], frozenset[tuple[int, int]]] = field(default_factory=dict)

    def of(self, place: Place) -> tuple[Agreements, Agreements]:
        """For every first and last unit the best agreement with an exemplar's words around
        the slot: the sum of both sides, and the smaller side."""
        if place.name not in self._found:
            size = len(self.view.words)
            lefts = np.array([[self._agreement(left, i, -1) for i in range(size)] for left, _ in place.contexts])
            rights = np.array([[self._agreement(right, i, 1) for i in range(size)] for _, right in place.contexts])
            both = (lefts[:, :, None] + rights[:, None, :]).max(axis=0)
            smaller = np.minimum(lefts[:, :, None], rights[:, None, :]).max(axis=0)
            self._found[place.name] = (both.tolist(), smaller.tolist())
        return self._found[place.name]

    def examples(self, place: Place) -> frozenset[tuple[int, int]]:
        """First and last units of the examples of a slot that were said; no parts of another slot's: no "film" of "film
        times"."""
        key = (place.name, place.description)
        if key not in self._examples:
            longer = [span for other in self.others if other.name != place.name for span in self._said(other)]
            self._examples[key] = frozenset(
                (first, last) for first, last in self._said(place)
                if not any(a <= first and last <= b and (a, b) != (first, last) for a, b in longer)
            )  # fmt: skip
        return self._examples[key]

    def _said(self, place: Place) -> frozenset[tuple[int, int]]:
        key = (place.name, place.description)
        if key not in self._every_example:
            self._every_example[key] = frozenset(self.view.within(span) for span in example_spans(self.view, place))
        return self._every_example[key]

    def _agreement(self, context: tuple[str, ...], at: int, side: int) -> float:
        """How far the words beside a unit are an exemplar's; another slot of it stands for its examples, less for any word."""
        agreed, distance = 0.0, 1
        nearness = _NEARNESS_UNSPACED if context and is_unspaced(context[0]) else _NEARNESS
        for wanted, weight in zip(context, nearness, strict=False):
            said = self.view.before(at, distance) if side < 0 else self.view.after(at, distance)
            if wanted == said:
                agreed += weight
                distance += 1
            elif length := self._beside.get((wanted, at + side * distance, side), 0):
                agreed += weight
                distance += length
            else:
                is_slot = len(wanted) > 1 and wanted[0] == "<"
                means = said not in FUNCTION_WORDS and said not in (START, END)
                return agreed + (VAGUE * weight if is_slot and means else 0.0)
        return agreed

    @cached_property
    def _beside(self) -> dict[tuple[str, int, int], int]:
        """How many units an example has that ends (-1) or begins (1) at a unit: by slot as contexts name it, unit and side."""
        found: dict[tuple[str, int, int], int] = {}
        for place in self.others:
            for first, last in self.examples(place):
                for at, side in ((last, -1), (first, 1)):
                    key = (f"<{place.name}>", at, side)
                    found[key] = max(last - first + 1, found.get(key, 0))
        return found
