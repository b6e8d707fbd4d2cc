"""The slots of any function for one utterance: what may fill each, and which fillings go together.

Made when asked for and kept while the utterance is answered. Knows evidence about slots; not
which function is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import merge
from itertools import islice

import numpy as np

from constrained_du.answers.instanced import ways
from constrained_du.answers.marks import Marks
from constrained_du.decoding.backend import log_sum_exp
from constrained_du.domain.conversation import is_own
from constrained_du.domain.domain import Domain
from constrained_du.domain.matching import Match, located, resemblances, settled
from constrained_du.domain.requests import Request
from constrained_du.functions.reader import Reader
from constrained_du.functions.scoring import FunctionScorer
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import CallGrammar, Members
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.fillings import Filler, Filling
from constrained_du.slots.places import Place, is_shown
from constrained_du.slots.search import Assignments
from constrained_du.slots.slot_features import is_no_value
from constrained_du.slots.span_features import Spans
from constrained_du.slots.tags import Tags
from constrained_du.slots.view import View
from constrained_du.specs.schema import Boolean, Entity, Enumerated, Number, Text
from constrained_du.types import JsonValue, Span
from constrained_du.weights import EXEMPLAR_CERTAINTY, OPEN_CERTAINTY, SLOT_SHARPNESS

CONSIDERED = 24  # fillings of a slot that are ranked
READ_LEAD = 0.6  # log odds between the two best ways to fill a function's slots, below which a taught model is asked
READ_LEAD_SHOWN = 2.5  # the same where exemplars show the slots
MEANT, DOUBT = 1.5, 1.5  # log odds of "yes, it is meant" below which a taught model doubts, and what each less weighs
NEGLIGIBLE = 5.0  # log odds against a filling from which it cannot change what is likely

SINGLE = (Text, Number, Enumerated, Boolean, Entity)
"""Slots that hold one value."""

Assigned = tuple[tuple[Filling | None, ...], float]
"""A filling or none for each slot of a function, and the score."""


@dataclass
class Slots:
    """``away`` are conversation functions that are not meant: their exemplars match nothing."""

    domain: Domain
    scorer: FunctionScorer
    request: Request
    view: View
    marks: Marks
    binder: Binder
    reader: Reader
    away: frozenset[int] = frozenset()
    worth_reading: set[int] = field(default_factory=set)
    """Functions for whose slots the model is asked, if it was taught to read; those that it was asked about anyway."""
    _bound: dict[int, CallGrammar] = field(default_factory=dict)
    _untagged: dict[int, SlotEvidence] = field(default_factory=dict)
    _found: dict[tuple[int, bool], tuple[SlotEvidence, list[list[Filling]]]] = field(default_factory=dict)
    _fillings: dict[tuple[int, bool, bool], list[list[Filling]]] = field(default_factory=dict)
    _assigned: dict[tuple[int, bool, bool], tuple[list[Assignments[Filling]], float]] = field(default_factory=dict)
    """All by function, and whether the model had read the utterance for it; some by whether values were looked for by meaning."""
    _open: dict[int, bool] = field(default_factory=dict)
    """By function whether its slots are left open without the model."""

    @cached_property
    def _spans(self) -> Spans:
        return Spans(self.view)

    @property
    def most(self) -> int:
        return max(CONSIDERED, 4 * self.request.n_best)

    def grammar(self, index: int) -> CallGrammar:
        if index not in self._bound:
            self._bound[index] = self.binder.bind(self.domain.functions[index])
        return self._bound[index]

    @cached_property
    def matches(self) -> list[Match]:
        """The ways in which the utterance equals exemplars, in their expectation if they ask for one; else,
        where nothing was asked, a function's own name."""
        labels = {self.domain.functions[i].label: i for i in self.request.allowed if i not in self.away}
        expected: set[tuple[str, str | None]] = {(e.function, e.slot) for e in self.request.expectations}
        expected |= {(e.function, None) for e in self.request.expectations}
        found = self.domain.templates.matches(self.view, labels, self.grammar)
        found = [match for match in found if match.exemplar.context is None or match.exemplar.context in expected]
        named = [] if expected or settled(found) else self.domain.names.matches(self.view, labels, self.grammar)
        return named or found

    @cached_property
    def match(self) -> Match | None:
        """The one that leaves no doubt."""
        match = settled(self.matches)
        return None if match is not None and match.is_open and (self._misses(match) or self._swallows(match)) else match

    def _misses(self, match: Match) -> bool:
        """Whether open words are plainly no value of their slot: no time in "<when> weather" by "London weather", a name for the
        kind of a thing, what is no country."""
        places = self.domain.places[match.exemplar.function]
        located = ((places[slot], span) for slot, span in match.located if slot in places)
        return any(is_no_value(self.view, place, *self.view.within(span)) for place, span in located)

    def _swallows(self, match: Match) -> bool:
        """Whether open words hold, or are, a value that another slot of the function waits for."""
        label = match.exemplar.function
        spoken = SlotEvidence(
            self.domain.by_label[label], self.view, frozenset(), self.domain.explained[label],
            tuple(self.domain.places[label].values()), located=located(self.grammar(self.domain.index[label])),
        ).spoken  # fmt: skip
        return any(
            any(spoken.swallowed(slot, span, match.choices)) or spoken.introduces(span, match.choices)
            for slot, span in match.located
        )

    # -- one slot ------------------------------------------------------------------------

    def fillings(self, index: int) -> list[list[Filling]]:
        """For each slot of a function its fillings, best first; what a closed exemplar names alone, where one decides."""
        return self._said_back(index) or self._every_filling(index)

    def _said_back(self, index: int) -> list[list[Filling]]:
        """The fillings of a function that a closed exemplar names: no other evidence is looked for. Empty
        where there is none, or its slots are no single values."""
        function, match = self.domain.functions[index], self.match
        if match is None or match.is_open or match.exemplar.function != function.label or is_own(function):
            return []
        if self.grammar(index).branches or not all(isinstance(function.slot[name].schema, SINGLE) for name in match.choices):
            return []
        return [_matched(match, slot.name, ()) if slot.name in match.choices else [] for slot in function.slots]

    def _key(self, index: int) -> tuple[int, bool, bool]:
        """A function, whether the model has read the utterance for it, and whether its values are looked for by meaning."""
        by_meaning = index in self.worth_reading and self.domain.functions[index].label in self.domain.with_senses
        return index, self._tags(index) is not None, by_meaning and (self.match is None or self.match.is_open)

    def _every_filling(self, index: int) -> list[list[Filling]]:
        key = self._key(index)
        if key not in self._fillings:
            function, grammar = self.domain.functions[index], self.grammar(index)
            places = self.domain.places[function.label]
            evidence, found = self._before_meaning(*key[:2])
            likely = zip(function.slots, found, strict=True)
            taken = {slot.name: own[0].located for slot, own in likely if own and own[0].score > 0}
            spares = self.domain.spares[function.label]  # what stands in for another has to be said by name
            free = {name: units for name, units in evidence.unsaid(taken).items() if name not in spares} if key[2] else {}
            evidence.senses = self.scorer.senses(self.view, index, free, evidence.about) if free else {}
            filler = Filler(evidence, grammar.definitions, self.most)
            self._fillings[key] = [
                self.marks.less_negated(function, slot.name, filler.with_meaning(places[slot.name], own))
                for slot, own in zip(function.slots, found, strict=True)
            ]
        return self._fillings[key]

    def _before_meaning(self, index: int, is_read: bool) -> tuple[SlotEvidence, list[list[Filling]]]:
        """The evidence for a function's slots, and their fillings by all of it but meaning."""
        if (index, is_read) not in self._found:
            evidence, grammar = self._evidence(index), self.grammar(index)
            found = self._filled(evidence, grammar, grammar.slots, self.domain.places[self.domain.functions[index].label])
            if self.match is None or self.match.is_open:  # a closed match has decided: nobody is asked
                evidence.roles = self.scorer.roles(self.request.utterance, index, found)
            self._found[index, is_read] = evidence, found
        return self._found[index, is_read]

    def _evidence(self, index: int) -> SlotEvidence:
        if index not in self._untagged:
            self._untagged[index] = self._without_tags(index)
        return self._untagged[index].anew(self._tags(index))

    def _without_tags(self, index: int) -> SlotEvidence:
        label = self.domain.functions[index].label
        expected = {e.slot for e in self.request.expectations if e.function == label and e.slot}
        return SlotEvidence(
            self.domain.functions[index], self.view, frozenset(expected), self.domain.explained[label],
            tuple(self.domain.places[label].values()), templates=resemblances(self.matches, label, self.view.letters),
            supplied=self.request.candidates.spans, located=located(self.grammar(index)),
            usual=self.domain.usual[label], spans=self._spans,
        )  # fmt: skip

    def _tags(self, index: int) -> Tags | None:
        """What the model says of the words for a function; None where it was not asked."""
        if self.match is not None or not self._is_read(index):
            return None
        read = self.reader.of([index]).get(index)
        return None if read is None else read.tags

    def _is_read(self, index: int) -> bool:
        """Whether the model is asked: what is known without it leaves open how the slots are filled. (Two ways that are
        alike are no reason where no exemplar shows the slots and none is required: as many answers changed for the worse.)"""
        if index not in self.worth_reading or index in self.reader.known or not self.reader.reads(index):
            return index in self.reader.known
        if index not in self._open:
            self._open[index] = False  # while it is found out: from what is known without the model
            function = self.domain.functions[index]
            if is_shown(self.domain.places[function.label].values()):
                self._open[index] = self.lead(index) < READ_LEAD_SHOWN
            else:
                requires = any(slot.required for slot in function.slots)
                self._open[index] = self._is_wanting(index, requires) or (requires and self.lead(index) < READ_LEAD)
        return self._open[index]

    def doubt(self, index: int) -> float:
        """What a taught model that has read the utterance says against a function, in log odds; 0 where it was not asked, where
        exemplars know better, and where the function was waiting for an answer."""
        label = self.domain.functions[index].label
        asked = any(expectation.function == label for expectation in self.request.expectations)
        if asked or self.domain.exemplars_of.get(label) or self._tags(index) is None:
            return 0.0
        return min(0.0, DOUBT * (self.reader.known[index].meant - MEANT))

    def _is_wanting(self, index: int, requires: bool) -> bool:
        """Whether a slot that the function requires is empty, or one of words beside such, or all are, though words are left
        that may be its value."""
        chosen, _ = next(self.likely(index)[0]())
        function = self.domain.functions[index]
        empty = [slot for slot, filling in zip(function.slots, chosen, strict=True) if filling is None]
        wanting = any(slot.required or (requires and isinstance(slot.schema, Text)) for slot in empty)
        return (wanting or len(empty) == len(function.slots)) and self.held(index)["left"] > 0

    def _filled(
        self, evidence: SlotEvidence, grammar: CallGrammar, slots: Members, places: Mapping[str, Place]
    ) -> list[list[Filling]]:
        filler = Filler(evidence, grammar.definitions, self.most)
        return [filler.fillings(places[field.name], field.node, field.name) for field in slots.fields]

    # -- all slots together --------------------------------------------------------------

    def likely(self, index: int) -> tuple[Callable[[], Iterator[Assigned]], float]:
        """The ways to fill a function's slots with what may well be meant, best first, and the log
        of the sum over all of them."""
        key = self._key(index)
        if key not in self._assigned:
            sharp = [[_likely(own) for own in slots] for slots in self._sharpened(index)]
            found = [Assignments(slots, margin=2 * NEGLIGIBLE) for slots in sharp]
            self._assigned[key] = found, log_sum_exp(np.array([way.log_total for way in found]))
        found, total = self._assigned[key]
        return lambda: _best_first(found), total

    def spelt_out(self, index: int) -> Iterator[Assigned]:
        """All ways to fill a function's slots; made when the first is asked for."""
        yield from _best_first([Assignments(slots) for slots in self._sharpened(index, every=True)])

    def _sharpened(self, index: int, every: bool = False) -> list[list[list[Filling]]]:
        said = [] if every else self._said_back(index)
        found = [said] if said else [self._as_matched(index, slots) for slots in self._ways(index)]
        found = found if said or every else [way for slots in found for way in self._without_spares(index, slots)]
        return [[[replace(f, score=f.score * SLOT_SHARPNESS) for f in own] for own in slots] for slots in found]

    def _as_matched(self, index: int, slots: list[list[Filling]]) -> list[list[Filling]]:
        """The fillings of a function's slots under the exemplar that matched, if it is one of the function's."""
        function, match = self.domain.functions[index], self.match
        if match is None or match.exemplar.function != function.label or not (match.choices or not is_own(function)):
            return slots
        return [_matched(match, slot.name, own) for slot, own in zip(function.slots, slots, strict=True)]

    def _without_spares(self, index: int, slots: list[list[Filling]]) -> list[list[list[Filling]]]:
        """The ways in which no slot is filled that stands in for one that is filled as well."""
        function = self.domain.functions[index]
        spares = self.domain.spares[function.label]
        if not spares:
            return [slots]
        return [
            [[] if slot.name in empty else own for slot, own in zip(function.slots, slots, strict=True)]
            for empty in (set(spares), set(spares.values()))
        ]

    def _ways(self, index: int) -> list[list[list[Filling]]]:
        """The fillings of the slots that may stand together; one way, where slots do not depend on each other."""
        grammar = self.grammar(index)
        if not grammar.branches:
            return [self._every_filling(index)]
        evidence = self._evidence(index)
        return [
            self._filled(replace(evidence, others=tuple(way.places.values())), grammar, way.slots, way.places)
            for way in ways(grammar, self.domain.functions[index], self.domain, evidence)
        ]

    def lead(self, index: int) -> float:
        """By how much (log odds, at most 8) the best way to fill a function's slots beats the next one that
        says something else."""
        ways = self.likely(index)[0]()
        first, score = next(ways)
        said = _values(first)
        return min(8.0, next((score - other for chosen, other in islice(ways, 20) if _values(chosen) != said), 8.0))

    def holds_value(self, index: int) -> bool:
        """Whether a value that the function lists, or was supplied for it, was said."""
        function, grammar = self.domain.functions[index], self.grammar(index)
        found = self._filled(self._evidence(index), grammar, grammar.slots, self.domain.places[function.label])
        return any(filling.typed and filling.located and filling.score > 0 for own in found for filling in own[:1])

    def held(self, index: int) -> dict[str, float]:
        """How well a function's slots take up what was said: the odds of its best call, and the
        shares of content words that go into typed values, and that are left over; whether a
        number or listed value is missing that every exemplar has."""
        chosen, score = next(self.likely(index)[0]())
        known = self.view.explained_by(self.domain.explained[self.domain.functions[index].label])
        content = {i for i, means in enumerate(self.view.is_content) if means}
        typed: set[int] = set()
        taken = {i for i in content if known[i]}
        for filling in chosen:
            for span in filling.located if filling is not None else ():
                first, last = self.view.within(span)
                taken.update(range(first, last + 1))
                typed.update(range(first, last + 1) if filling is not None and filling.typed else ())
        size = max(1, len(content))
        filled = {slot.name for slot, f in zip(self.domain.functions[index].slots, chosen, strict=True) if f is not None}
        filled |= {spare for spare, other in self.domain.spares[self.domain.functions[index].label].items() if other in filled}
        shapes = self.domain.shapes[self.domain.functions[index].label]
        return {
            "short": float(all(any(not group & filled for group in shape) for shape in shapes) and bool(shapes)),
            "slots": min(8.0, score / SLOT_SHARPNESS),
            "typed": len(typed & content) / size,
            "left": len(content - taken) / size,
        }


def _matched(match: Match, slot: str, own: Sequence[Filling]) -> list[Filling]:
    """The fillings of a slot under an exemplar that matched: its own choice far ahead; where
    it was any words, ahead of what does not look much better."""
    certainty = OPEN_CERTAINTY if match.is_open else EXEMPLAR_CERTAINTY
    choices = match.choices.get(slot)
    if choices is None:
        return [replace(filling, score=min(filling.score, 0.0) - certainty) for filling in own]
    values = [choice.value for choice in choices]
    spans = tuple((slot, choice.span) for choice in choices if choice.span is not None)
    listed = any(isinstance(filling.value, list) for filling in own)
    value: JsonValue = values if listed else values[0]
    parts = _counted_up(own, spans[0][1], str(values[0])) if listed and len(spans) == 1 else None
    if parts is not None:
        value, spans = parts.value, parts.spans
    known = max((f.score for f in own if f.value == value), default=0.0) if match.is_open else 0.0
    chosen = Filling(value, known + certainty, spans)
    rest = [replace(f, score=min(f.score, 0.0) - 1.0) for f in own if f.value != value]
    return sorted([chosen, *rest], key=lambda filling: -filling.score)


def _counted_up(own: Sequence[Filling], span: Span, said: str) -> Filling | None:
    """The list among a slot's fillings that takes up all words ``said`` at a span and has the most items, several."""
    inside = [f for f in own if len(f.spans) > 1 and all(span.start <= s.start and s.end <= span.end for s in f.located)]
    whole = [f for f in inside if not any(map(str.isalnum, said[f.located[-1].end - span.start :]))]
    return max(whole, key=lambda f: (len(f.spans), -f.located[0].start), default=None)


def _values(chosen: Sequence[Filling | None]) -> list[str]:
    return ["" if filling is None else repr(filling.value) for filling in chosen]


def _best_first(found: Iterable[Assignments[Filling]]) -> Iterator[Assigned]:
    return merge(*(way.best_first() for way in found), key=lambda option: -option[1])


def _likely(fillings: Sequence[Filling]) -> list[Filling]:
    """Without the spans that cannot be meant: each costs the search as much as one that can."""
    least = max(-NEGLIGIBLE, max((filling.score for filling in fillings), default=0.0) - 2 * NEGLIGIBLE)
    return [filling for filling in fillings if filling.score > least or not filling.located]
