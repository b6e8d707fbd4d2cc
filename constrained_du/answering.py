"""One utterance, one call: functions and slots joined into complete answers, ranked.

Exemplar match, then evidence about functions, then slots of those that matter, then the
likeliest complete answers. Holds the state of one utterance; the model is asked, not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush, merge
from itertools import chain, islice
from math import exp, log

import numpy as np

from constrained_du import operators
from constrained_du.backend import log_sum_exp
from constrained_du.compile import Binder
from constrained_du.conversation import giving_way, is_own, speechless
from constrained_du.domain import Domain
from constrained_du.evidence import Place, SlotEvidence
from constrained_du.fillings import FREE, Filler, Filling
from constrained_du.generation import Generator
from constrained_du.grammar import CallGrammar, Members
from constrained_du.instanced import stands_together, ways
from constrained_du.lexicon import NEGATORS
from constrained_du.matching import Match, resemblances, settled
from constrained_du.prompt import clarification, exemplar_text, portrait
from constrained_du.replies import answers, only_holder
from constrained_du.requests import Request
from constrained_du.schema import ListOf
from constrained_du.scoring import FunctionScorer, Rival, Verdict
from constrained_du.search import Assignments
from constrained_du.spec import Function
from constrained_du.types import ABSENT, DO_NOT_UNDERSTAND, Alternative, Call, Explanation, JsonValue, Result, Span, Stats
from constrained_du.view import View
from constrained_du.weights import EXEMPLAR_CERTAINTY, OPEN_CERTAINTY, SLOT_SHARPNESS
from constrained_du.words import atoms

CONSIDERED = 24  # fillings of a slot that are ranked
NEGLIGIBLE = 5.0  # log odds against a filling from which it cannot change what is likely
NEGATED = 5.0  # log odds that a negated value loses where another was said ("not Monday, Tuesday")
LIKELY = 0.4  # share of the talk before, above which a bare value may go on with its function
PLAIN = 0.35  # how much an utterance says that is nothing but plain words for a slot
ASIDES = frozenset("no yes ok okay sorry meant mean actually instead wait maybe well oh um umm uh です だ 呢 那 吧".split())
LIKELY_SHARE = -3.0  # log probability of a function from which its calls are ranked by its share
SHORT = 4  # words of an utterance that may be a bare value

LogProbabilities = Mapping[int | None, float]
"""Of functions by index; the key None is the fallback."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One candidate answer: a function with its slots, or the fallback (function None)."""

    function: Function | None
    fillings: tuple[Filling | None, ...]
    log_probability: float
    """What it is ranked by: the function's share, and how its slots compare with its best ones."""
    confidence: float
    """How probable it is that function and slots are all right."""


class Answering:
    """One utterance while it is answered."""

    def __init__(
        self, domain: Domain, scorer: FunctionScorer, generator: Generator, request: Request, with_operators: bool
    ) -> None:
        self.domain, self.scorer, self.generator, self.request = domain, scorer, generator, request
        self.with_operators = with_operators
        self.view = View(request.utterance, request.now)
        self.binder = Binder(request.utterance, request.candidates, domain.ontology, request.now)
        self.most = max(CONSIDERED, 4 * request.n_best)
        self._leads: dict[int, float] = {}
        self._assigned: dict[int, tuple[list[Assignments[Filling]], float]] = {}
        self._bound: dict[int, CallGrammar] = {}
        self._slots: dict[int, list[list[Filling]]] = {}

    def result(self) -> Result:
        answers = list(islice(self.ranked(), self.request.n_best))
        alternatives = tuple(map(self.alternative, answers))
        best = alternatives[0]
        return Result(best.calls, best.confidence, alternatives, Stats(), self.explanation(answers[0]))

    def grammar(self, index: int) -> CallGrammar:
        if index not in self._bound:
            self._bound[index] = self.binder.bind(self.domain.functions[index])
        return self._bound[index]

    # -- functions -----------------------------------------------------------------------

    @cached_property
    def answered(self) -> frozenset[int]:
        """Conversation functions that are not meant, since the words answer what was asked."""
        asked = self.request
        return giving_way(self.domain, asked.utterance, asked.candidates, asked.expectations, self.with_operators)

    @cached_property
    def matches(self) -> list[Match]:
        """The ways in which the utterance equals exemplars, in their expectation if they ask for one."""
        if not self.domain.exemplars:
            return []
        labels = {self.domain.functions[i].label: i for i in self.request.allowed if i not in self.answered}
        expected: set[tuple[str, str | None]] = {(e.function, e.slot) for e in self.request.expectations}
        expected |= {(e.function, None) for e in self.request.expectations}
        found = self.domain.templates.matches(self.view, labels, self.grammar)
        return [match for match in found if match.exemplar.context is None or match.exemplar.context in expected]

    @cached_property
    def match(self) -> Match | None:
        """The one that leaves no doubt."""
        match = settled(self.matches)
        return None if match is not None and match.is_open and self._swallows(match) else match

    def _swallows(self, match: Match) -> bool:
        """Whether open words hold a date or time that another slot of the function waits for."""
        waiting = {p.kind for n, p in self.domain.places[match.exemplar.function].items() if n not in match.choices}
        return any(
            kind in waiting and span != said and said.start <= span.start and span.end <= said.end
            for span, kind in self.view.kinds.items()
            for _, said in match.located
            if kind != "number"
        )

    @cached_property
    def verdict(self) -> Verdict:
        if self.match is not None:
            return self._certain(self.domain.index[self.match.exemplar.function], "exemplar match")
        if self.replied is not None:
            return self._certain(self.replied, "values alone")
        negative = (match for match in self.matches if match.exemplar.mode == "negative")
        forbidden = {self.domain.index[match.exemplar.function] for match in negative}
        allowed = [index for index in self.request.allowed if index not in forbidden]
        unlikely = self.answered | speechless(self.domain, self.binder)
        return self.scorer.verdict(self.request.utterance, allowed, self._situation(allowed), unlikely, self._held)

    def _held(self, index: int) -> dict[str, float]:
        """How well a function's slots take up what was said: the odds of its best call, and the
        shares of content words that go into typed values, and that are left over."""
        chosen, score = next(_best_first(self._assignments(index)[0]))
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
        return {
            "slots": min(8.0, score / SLOT_SHARPNESS),
            "typed": len(typed & content) / size,
            "left": len(content - taken) / size,
        }

    @cached_property
    def replied(self) -> int | None:
        """The function of which the utterance is nothing but a value asked for, or values that no other takes."""
        for expectation in self.request.expectations:
            index = self.domain.index[expectation.function]
            if index in self.request.allowed and answers(self.domain, expectation, self.view, self.grammar(index)):
                return index
        return only_holder(self.view, self.binder, self.request.allowed, self.grammar)

    def _certain(self, chosen: int, because: str) -> Verdict:
        """A verdict that an exemplar or a plain answer settles: no tokens."""
        others = [Rival(i, {}, -EXEMPLAR_CERTAINTY) for i in self.request.allowed if i != chosen]
        return Verdict((Rival(chosen, {because: 1.0}, 0.0), *others), -EXEMPLAR_CERTAINTY)

    def _situation(self, allowed: Sequence[int]) -> dict[int, dict[str, float]]:
        """What was asked or talked about before, as features of functions."""
        short = float(sum(unit.may_border for unit in self.view.units) <= SHORT)
        found: dict[int, dict[str, float]] = {}
        for expectation in self.request.expectations:
            index = self.domain.index[expectation.function]
            if index in allowed:
                fits = expectation.slot is not None and self._fits(index, expectation.slot)
                own = found.setdefault(index, {})
                own |= {"expected": 1.0, "expected short": short}
                own["expected fit"] = max(own.get("expected fit", 0.0), float(fits))
                own["expected whole"] = max(own.get("expected whole", 0.0), fits * self._covered(index))
        for index, share in self._templates.items():
            if index in allowed:
                found.setdefault(index, {})["template"] = share
        if self.request.history:
            active = self.scorer.active(self.request.history, allowed)
            for index, share in active.items():
                own = found.setdefault(index, {})
                own |= {"active": share, "active short": share * short}
                if share > LIKELY:
                    own["active whole"] = share * self._covered(index)
        return found

    @cached_property
    def _templates(self) -> dict[int, float]:
        """Functions with exemplars that the utterance may equal: how much of it these say themselves."""
        found: dict[int, float] = {}
        for match in self.matches:
            if match.exemplar.mode != "negative":
                index = self.domain.index[match.exemplar.function]
                found[index] = max(match.literal / self.view.letters, found.get(index, 0.0))
        return found

    def _fits(self, index: int, slot: str) -> bool:
        """Whether something in the utterance fills a slot of a function well."""
        function = self.domain.functions[index]
        position = next(i for i, member in enumerate(function.slots) if member.name == slot)
        own = self.fillings(index)[position]
        return bool(own) and own[0].score > 0

    def _covered(self, index: int) -> float:
        """1 if typed values of the function's slots are all that was said; less for plain words."""
        covered: set[int] = set()
        plain = False
        for own in self.fillings(index):
            best = next((filling for filling in own if filling.spans and filling.score > 0), None)
            if best is not None:
                for _, span in best.spans:
                    first, last = self.view.within(span)
                    covered.update(range(first, last + 1))
                plain |= not best.typed
        said = [i for i, content in enumerate(self.view.is_content) if content and self.view.words[i] not in ASIDES]
        return 0.0 if not covered or any(i not in covered for i in said) else PLAIN if plain else 1.0

    @cached_property
    def probabilities(self) -> LogProbabilities:
        scores: dict[int | None, float] = {rival.index: rival.score for rival in self.verdict.rivals}
        if self.request.may_refuse:
            scores[None] = self.verdict.fallback
        if not scores:
            return {None: 0.0}
        top = max(scores.values())
        total = top + log(sum(exp(score - top) for score in scores.values()))
        return {key: score - total for key, score in scores.items()}

    # -- answers -------------------------------------------------------------------------

    def ranked(self) -> Iterator[Answer]:
        """Complete answers, likeliest first; what the words rule out gives way to the fallback."""
        found = self._ranked()
        if not self.request.may_refuse or self.match is not None:
            yield from found
            return
        first = next(found)
        if first.function is not None and self._is_ruled_out(first):
            share = exp(first.log_probability) + exp(self.probabilities[None] - self._normaliser)
            yield Answer(None, (), log(share), min(1.0, share))
            found = (answer for answer in found if answer.function is not None)
        else:
            yield first
        yield from found

    def _ranked(self) -> Iterator[Answer]:
        """All answers by falling rank. No call ranks above its function's share, so the calls of a
        function are made when its share comes up."""
        shares: list[tuple[int | None, float]] = sorted(
            self.probabilities.items(), key=lambda item: (-item[1], item[0] is not None)
        )
        opened: list[tuple[float, int, Answer, Iterator[Answer]]] = []
        for order, (index, share) in enumerate(shares):
            bound = share - self._normaliser
            while opened and -opened[0][0] >= bound:
                yield self._next_of(opened)
            refusal = Answer(None, (), bound, min(1.0, exp(share)))
            stream = iter([refusal]) if index is None else self._calls_of(index)
            first = next(stream, None)
            if first is not None:
                heappush(opened, (-first.log_probability, order, first, stream))
        while opened:
            yield self._next_of(opened)

    @staticmethod
    def _next_of(opened: list[tuple[float, int, Answer, Iterator[Answer]]]) -> Answer:
        _, order, best, stream = heappop(opened)
        following = next(stream, None)
        if following is not None:
            heappush(opened, (-following.log_probability, order, following, stream))
        return best

    def _calls_of(self, index: int) -> Iterator[Answer]:
        """The calls of one function by falling probability: first of what may well be meant, then
        of all that can be said; lazily, for most are never asked for."""
        function = self.domain.functions[index]
        share = self.probabilities[index]
        found, total = self._assignments(index)
        rank = share + self._lead(index) - self._normaliser
        seen: set[str] = set()
        least = 0.0
        for chosen, score in chain(_best_first(found), self._spelt_out(index)):
            if not stands_together(self.grammar(index), chosen):
                continue
            key = repr([None if filling is None else (filling.value,) for filling in chosen])
            if key not in seen:  # one value may be said in several places
                seen.add(key)
                within = least = min(least, score - total)
                yield Answer(function, chosen, rank + within, min(1.0, exp(share + within)))

    def _assignments(self, index: int) -> tuple[list[Assignments[Filling]], float]:
        """The ways to fill a function's slots with what may well be meant, and the log of the sum over all."""
        if index not in self._assigned:
            likely = [[_likely(own) for own in slots] for slots in self._sharpened(index)]
            found = [Assignments(slots, margin=2 * NEGLIGIBLE) for slots in likely]
            self._assigned[index] = found, log_sum_exp(np.array([way.log_total for way in found]))
        return self._assigned[index]

    def _spelt_out(self, index: int) -> Iterator[tuple[tuple[Filling | None, ...], float]]:
        """All ways to fill a function's slots; made when the first is asked for."""
        yield from _best_first([Assignments(slots) for slots in self._sharpened(index)])

    def _sharpened(self, index: int) -> list[list[list[Filling]]]:
        function, match, ways = self.domain.functions[index], self.match, self._ways(index)
        if match is not None and match.exemplar.function == function.label and (match.choices or not is_own(function)):
            names = [slot.name for slot in function.slots]
            ways = [[self._matched(match, *own) for own in zip(names, slots, strict=True)] for slots in ways]
        return [[[replace(f, score=f.score * SLOT_SHARPNESS) for f in own] for own in slots] for slots in ways]

    def _lead(self, index: int) -> float:
        """By how much (log) the best call of a likely function is preferred to its own share.

        Whole calls of functions with many slots divide their function's share; ranked by the
        product alone, the fallback and functions without slots would win where the function
        itself is the likelier one.
        """
        if index not in self._leads:
            likely = self.probabilities[index] >= LIKELY_SHARE and self.domain.functions[index].slots
            lead = 0.0
            if likely:
                found, total = self._assignments(index)
                lead = max(0.0, total - next(_best_first(found))[1])
            self._leads[index] = lead
        return self._leads[index]

    @cached_property
    def _normaliser(self) -> float:
        """Log of the sum of all ranks, so that they are probabilities of the answers."""
        ranks = [share + (0.0 if index is None else self._lead(index)) for index, share in self.probabilities.items()]
        return log_sum_exp(np.array(ranks))

    def fillings(self, index: int) -> list[list[Filling]]:
        """For each slot of a function its fillings, best first."""
        if index not in self._slots:
            function = self.domain.functions[index]
            grammar = self.grammar(index)
            places = self.domain.places[function.label]
            evidence = self._evidence(index)
            found = self._filled(evidence, grammar, grammar.slots, places)
            evidence.roles = self.scorer.roles(self.request.utterance, index, found)
            filler = Filler(evidence, grammar.definitions, self.most)
            found = [filler.with_roles(places[slot.name], own) for slot, own in zip(function.slots, found, strict=True)]
            self._slots[index] = [
                self._less_negated(slot.name, function, own) for slot, own in zip(function.slots, found, strict=True)
            ]
        return self._slots[index]

    def _ways(self, index: int) -> list[list[list[Filling]]]:
        """The fillings of the slots that may stand together; one way, where slots do not depend on each other."""
        grammar = self.grammar(index)
        if not grammar.branches:
            return [self.fillings(index)]
        function = self.domain.functions[index]
        evidence = self._evidence(index)
        return [
            self._filled(replace(evidence, others=tuple(way.places.values())), grammar, way.slots, way.places)
            for way in ways(grammar, function, self.domain, evidence)
        ]

    def _evidence(self, index: int) -> SlotEvidence:
        label = self.domain.functions[index].label
        expected = {e.slot for e in self.request.expectations if e.function == label and e.slot}
        return SlotEvidence(
            self.domain.functions[index], self.view, frozenset(expected), self.domain.explained[label],
            tuple(self.domain.places[label].values()), templates=resemblances(self.matches, label, self.view.letters),
        )  # fmt: skip

    def _filled(
        self, evidence: SlotEvidence, grammar: CallGrammar, slots: Members, places: Mapping[str, Place]
    ) -> list[list[Filling]]:
        filler = Filler(evidence, grammar.definitions, self.most)
        return [filler.fillings(places[field.name], field.node, field.name) for field in slots.fields]

    def _less_negated(self, slot: str, function: Function, own: list[Filling]) -> list[Filling]:
        """Where one value is negated and another said, the other is meant."""
        said = [f for f in own[:8] if f.score > -2 and f.spans]
        marked = [f for f in said if self._mark(function, slot, f) == "!="]
        if not any(a is not b and not a.spans[0][1].overlaps(b.spans[0][1]) for a in marked for b in said if b not in marked):
            return own
        lowered = [replace(f, score=f.score - NEGATED) if f in marked else f for f in own]
        return sorted(lowered, key=lambda filling: -filling.score)

    @staticmethod
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
        known = max((f.score for f in own if f.value == value), default=0.0) if match.is_open else 0.0
        chosen = Filling(value, known + certainty, spans)
        rest = [replace(f, score=min(f.score, 0.0) - 1.0) for f in own if f.value != value]
        return sorted([chosen, *rest], key=lambda filling: -filling.score)

    # -- operators -----------------------------------------------------------------------

    def _mark(self, function: Function, slot: str, filling: Filling) -> str | None:
        """The operator on a filling, unless the slot itself means it."""
        for _, span in filling.spans:
            mark = operators.mark_of(self.view, span)
            if mark is not None:
                member = function.slot[slot]
                words = f"{slot.replace('_', ' ')} {member.description}".casefold()
                return None if operators.own_meaning(words, mark.operator) else mark.operator
        return None

    def _is_ruled_out(self, answer: Answer) -> bool:
        """Whether the words ask for the opposite, or for something that arguments cannot say."""
        assert answer.function is not None
        if operators.forbids(self.view) and not self._speaks_of_not(answer.function):
            return True
        if self.with_operators:
            return False
        return bool(self.operators_of(answer)) or (
            operators.excludes(self.view) and not self._means_exclusion(answer)
        )

    def _speaks_of_not(self, function: Function) -> bool:
        texts = [portrait(function), *map(exemplar_text, self.domain.exemplars_of.get(function.label, ()))]
        words = {atom.text.casefold() for text in texts for atom in atoms(text)}
        return bool(words & (NEGATORS | {"cancel", "stop", "nothing", "取消", "停"})) or any(
            sign in text for text in texts for sign in ("别", "不", "ない", "キャンセル", "取消", "停")
        )

    def _means_exclusion(self, answer: Answer) -> bool:
        assert answer.function is not None
        return any(
            filling is not None and operators.own_meaning(f"{slot.name} {slot.description}".casefold(), "!=")
            for slot, filling in zip(answer.function.slots, answer.fillings, strict=True)
        )

    def operators_of(self, answer: Answer) -> dict[str, list[tuple[str, JsonValue]]]:
        """The slots of an answer that are negated, bounded, alternative or indifferent."""
        function = answer.function
        if function is None:
            return {}
        found: dict[str, list[tuple[str, JsonValue]]] = {}
        own = self.fillings(self.domain.index[function.label])
        for slot, filling, rivals in zip(function.slots, answer.fillings, own, strict=True):
            if filling is None:
                continue
            operator = self._mark(function, slot.name, filling)
            if operator is not None:
                found[slot.name] = [(operator, filling.value)]
                continue
            joined = self._joined_by_or(slot.schema, filling, rivals)
            if joined:
                found[slot.name] = [("or", joined)]
        if operators.is_indifferent(self.view):
            for expectation in self.request.expectations:
                position = [member.name for member in function.slots]
                own_slot = expectation.function == function.label and expectation.slot in position
                if own_slot and expectation.slot and answer.fillings[position.index(expectation.slot)] is None:
                    found[expectation.slot] = [("dontcare", None)]
        return found

    def _joined_by_or(self, schema: object, filling: Filling, rivals: Sequence[Filling]) -> list[JsonValue]:
        if isinstance(schema, ListOf) or not filling.spans:
            return []
        others = [f for f in rivals if f.spans and f.score > 0 and not f.spans[0][1].overlaps(filling.spans[0][1])]
        joined = [f for f in others if operators.alternatives(self.view, [filling.spans[0][1], f.spans[0][1]])]
        everything = sorted([filling, *joined[:3]], key=lambda f: f.spans[0][1]) if joined else []
        return [f.value for f in everything]

    # -- results -------------------------------------------------------------------------

    def alternative(self, answer: Answer) -> Alternative:
        confidence = answer.confidence
        refusal = Call(DO_NOT_UNDERSTAND, confidence=confidence)
        call = refusal if answer.function is None else self.call(answer, confidence)
        return Alternative((call,), answer.log_probability, confidence)

    def call(self, answer: Answer, confidence: float) -> Call:
        function = answer.function
        assert function is not None
        marked = self.operators_of(answer) if self.with_operators else {}
        arguments: dict[str, JsonValue] = {}
        spans: dict[str, Span] = {}
        for slot, filling in zip(function.slots, answer.fillings, strict=True):
            if filling is None:
                continue
            spans.update(filling.spans)
            if slot.name in marked:
                continue
            value = filling.value
            if value is FREE:
                grammar = self.grammar(self.domain.index[function.label])
                value = self.generator.value(self.request.utterance, function, slot, arguments, grammar)
            arguments[slot.name] = value
        said = arguments.keys() | marked.keys()
        missing = tuple(slot.name for slot in function.slots if slot.required and slot.name not in said)
        question = clarification(function, function.slot[missing[0]]) if missing else None
        return Call(function.label, arguments, spans, marked, missing, question, confidence)

    def explanation(self, best: Answer) -> Explanation:
        rows: list[dict[str, JsonValue]] = [
            {
                "name": self.domain.functions[rival.index].label,
                "probability": exp(self.probabilities[rival.index]),
                "score": rival.score,
                **rival.features,
            }
            for rival in self.verdict.rivals[:8]
        ]
        if None in self.probabilities:
            shares = {"probability": exp(self.probabilities[None]), "score": self.verdict.fallback}
            rows.append({"name": DO_NOT_UNDERSTAND, **shares, **self.verdict.fallback_features})
        slots: list[dict[str, JsonValue]] = []
        if best.function is not None:
            own = self.fillings(self.domain.index[best.function.label])
            for slot, fillings in zip(best.function.slots, own, strict=True):
                choices: list[tuple[JsonValue, float]] = [(ABSENT, _share(fillings, 0.0))]
                choices += [(None if f.value is FREE else f.value, _share(fillings, f.score)) for f in fillings[:6]]
                slots.append({"function": best.function.label, "slot": slot.name, "choices": choices})
        decided = "evidence" if self.request.may_refuse else "tool_choice"
        decided = decided if self.replied is None else "expectation" if self.request.expectations else "values"
        decided = decided if self.match is None else "exemplar"
        return Explanation(decided, self.match.exemplar.text if self.match else None, tuple(rows), tuple(slots))


def _best_first(ways: Iterable[Assignments[Filling]]) -> Iterator[tuple[tuple[Filling | None, ...], float]]:
    return merge(*(way.best_first() for way in ways), key=lambda option: -option[1])


def _likely(fillings: Sequence[Filling]) -> list[Filling]:
    best = max((filling.score for filling in fillings), default=0.0)
    return [filling for filling in fillings if filling.score > max(-NEGLIGIBLE, best - 2 * NEGLIGIBLE)]


def _share(fillings: Sequence[Filling], score: float) -> float:
    total = 1.0 + sum(exp(min(50.0, filling.score)) for filling in fillings)
    return exp(min(50.0, score)) / total
