"""One utterance, one call: functions and slots joined into complete answers, ranked.

Exemplar match, then evidence about functions, then slots of those that matter, then the
likeliest complete answers. Holds the state of one utterance; the model is asked, not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, islice
from math import exp, log

import numpy as np

from constrained_du.answers.confidence import confidence, shared
from constrained_du.answers.grounds import Answer, LogProbabilities, grounds_of
from constrained_du.answers.instanced import stands_together
from constrained_du.answers.marks import Marks
from constrained_du.answers.replies import answers, is_moment, is_of_kind, only_holder
from constrained_du.answers.slots import Slots
from constrained_du.decoding.backend import log_sum_exp
from constrained_du.decoding.generation import Generator
from constrained_du.decoding.prompt import clarification
from constrained_du.domain.conversation import giving_way, speechless
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import Request
from constrained_du.functions.reader import Reader
from constrained_du.functions.scoring import FunctionScorer, Rival, Verdict
from constrained_du.grammar.compile import Binder
from constrained_du.slots.fillings import FREE, share_of
from constrained_du.slots.view import View
from constrained_du.text.clauses import asks_for_more
from constrained_du.text.lexicon import TITLES
from constrained_du.types import ABSENT, DO_NOT_UNDERSTAND, Alternative, Call, Explanation, JsonValue, Result, Span, Stats
from constrained_du.weights import EXEMPLAR_CERTAINTY

LIKELY = 0.4  # share of the talk before, above which a bare value may go on with its function
PLAIN = 0.35  # how much an utterance says that is nothing but plain words for a slot
ASIDES = TITLES | frozenset(
    "no yes ok okay sorry meant mean actually instead wait maybe well oh um umm uh です だ 呢 那 吧".split()
)  # words beside a value that say nothing of it
LIKELY_SHARE = -3.0  # log probability of a function from which its calls are ranked by its share
READ_SHARE = log(0.35)  # log probability of a function for whose slots a taught model reads the utterance
SHORT = 4  # words of an utterance that may be a bare value

class Answering:
    """One utterance while it is answered."""

    def __init__(
        self, domain: Domain, scorer: FunctionScorer, generator: Generator, request: Request, with_operators: bool
    ) -> None:
        self.domain, self.scorer, self.generator, self.request = domain, scorer, generator, request
        self.with_operators = with_operators
        self.view = View(request.utterance, request.now)
        self.binder = Binder(request.utterance, request.candidates, domain.ontology, request.now)
        self.marks = Marks(domain, request, self.view)
        self.answered = giving_way(domain, request.utterance, request.candidates, request.expectations, with_operators)
        """Conversation functions that are not meant, since the words answer what was asked."""
        expected: dict[str, frozenset[str]] = {}
        for e in request.expectations:
            if e.slot is not None:
                expected[e.function] = expected.get(e.function, frozenset()) | {e.slot}
        self.reader = Reader(scorer.backend, domain.functions, scorer.prepared.heads, self.view, expected)
        self.slots = Slots(domain, scorer, request, self.view, self.marks, self.binder, self.reader, self.answered)
        self._leads: dict[int, float] = {}

    def result(self) -> Result:
        answers = list(islice(self.ranked(), self.request.n_best))
        grounds = grounds_of(self.slots, self.probabilities, answers[0], self.replied is not None)
        best = confidence(grounds, answers[0].function is None)
        confidences = shared(best, [answer.share for answer in answers])
        alternatives = tuple(map(self.alternative, answers, confidences))
        return Result(alternatives[0].calls, best, alternatives, Stats(), self.explanation(answers[0], grounds))

    # -- functions -----------------------------------------------------------------------

    @cached_property
    def verdict(self) -> Verdict:
        if self.slots.match is not None:
            return self._certain(self.domain.index[self.slots.match.exemplar.function], "exemplar match")
        if self.replied is not None:
            return self._certain(self.replied, "values alone")
        negative = (match for match in self.slots.matches if match.exemplar.mode == "negative")
        forbidden = {self.domain.index[match.exemplar.function] for match in negative}
        allowed = [index for index in self.request.allowed if index not in forbidden]
        unlikely = self.answered | speechless(self.domain, self.binder)
        situation = self._situation(allowed)
        return self.scorer.verdict(self.request.utterance, allowed, situation, unlikely, self.slots)

    @cached_property
    def replied(self) -> int | None:
        """The function of which the utterance is nothing but a value asked for, or values that no other takes."""
        for expectation in self.request.expectations:
            index = self.domain.index[expectation.function]
            if index in self.request.allowed and answers(self.domain, expectation, self.view, self.slots.grammar(index)):
                return index
        return only_holder(self.view, self.binder, self.request.allowed, self.slots.grammar)

    def _certain(self, chosen: int, because: str) -> Verdict:
        """A verdict that an exemplar or a plain answer settles: no tokens."""
        others = [Rival(i, {}, -EXEMPLAR_CERTAINTY) for i in self.request.allowed if i != chosen]
        return Verdict((Rival(chosen, {because: 1.0}, 0.0), *others), -EXEMPLAR_CERTAINTY)

    def _situation(self, allowed: Sequence[int]) -> dict[int, dict[str, float]]:
        """What was asked or talked about before, as features of functions."""
        short = float(self.view.size <= SHORT)
        found: dict[int, dict[str, float]] = {}
        self.slots.worth_reading |= {self.domain.index[e.function] for e in self.request.expectations}
        for expectation in self.request.expectations:
            index = self.domain.index[expectation.function]
            if index in allowed:
                own = found.setdefault(index, {"expected": 1.0, "expected short": short})
                told = {} if expectation.slot is None else self._told(index, expectation.slot)
                own |= {name: max(own.get(name, 0.0), value) for name, value in told.items()}
        for index, share in self._templates.items():
            if index in allowed:
                found.setdefault(index, {})["template"] = share
        if self.request.history:
            active = self.scorer.active(self.request.history, allowed)
            more = float(asks_for_more(self.request.utterance))
            for index, told in active.items():
                share = told["active"]
                own = found.setdefault(index, {})
                own |= told | {"active short": share * short, "active more": share * more}
                if share > LIKELY:
                    self.slots.worth_reading.add(index)
                    own["active whole"] = share * self._covered(index)
        return found

    @cached_property
    def _templates(self) -> dict[int, float]:
        """Functions with exemplars that the utterance may equal: how much of it these say themselves."""
        found: dict[int, float] = {}
        for match in self.slots.matches:
            if match.exemplar.mode != "negative":
                index = self.domain.index[match.exemplar.function]
                found[index] = max(match.literal / self.view.letters, found.get(index, 0.0))
        return found

    def _told(self, index: int, slot: str) -> dict[str, float]:
        """How well the utterance answers the question for a slot of a function."""
        function = self.domain.functions[index]
        place = self.domain.places[function.label][slot]
        best = next(iter(self.slots.fillings(index)[[*function.slot].index(slot)]), None)
        fits = best is not None and best.score > 0
        return {
            "expected fit": float(fits),
            "expected whole": fits * self._covered(index),
            "expected moment": float(is_moment(place, self.view)),
            "expected kind": float(fits and best is not None and is_of_kind(place, best.located, self.view)),
        }

    def _covered(self, index: int) -> float:
        """1 if typed values of the function's slots are all that was said; less for plain words."""
        covered: set[int] = set()
        plain = False
        for own in self.slots.fillings(index):
            best = next((filling for filling in own if filling.spans and filling.score > 0), None)
            if best is not None:
                for _, span in best.spans:
                    first, last = self.view.within(span)
                    covered.update(range(first, last + 1))
                plain |= not best.typed
        said = [i for i, content in enumerate(self.view.is_content) if content and self.view.words[i] not in ASIDES]
        return 0.0 if not covered or any(i not in covered for i in said) else PLAIN if plain else 1.0

    @cached_property
    def _unread(self) -> LogProbabilities:
        """The same before the model has read the utterance."""
        scores: dict[int | None, float] = {rival.index: rival.score for rival in self.verdict.rivals}
        if self.request.may_refuse:
            scores[None] = self.verdict.fallback
        if not scores:
            return {None: 0.0}
        return _shares(scores)

    @cached_property
    def doubts(self) -> Mapping[int, float]:
        """What a taught model that has read the utterance says against the functions that are likely."""
        likely = {i for i, share in self._unread.items() if i is not None and share >= READ_SHARE}
        if self.slots.match is None and self.replied is None:
            self.slots.worth_reading |= likely
        if not self.request.may_refuse:
            return {}
        return {i: doubt for i in sorted(self.slots.worth_reading & self._unread.keys()) if (doubt := self.slots.doubt(i))}

    @cached_property
    def probabilities(self) -> LogProbabilities:
        if not self.doubts:
            return self._unread
        return _shares({key: share + (0.0 if key is None else self.doubts.get(key, 0.0)) for key, share in self._unread.items()})

    # -- answers -------------------------------------------------------------------------

    def ranked(self) -> Iterator[Answer]:
        """Complete answers, likeliest first; what the words rule out gives way to the fallback."""
        found = self._ranked()
        match = self.slots.match
        if not self.request.may_refuse:
            yield from found
            return
        first = next(found)
        is_decided = match is not None and not match.is_open
        if self._is_too_late(first) or (not is_decided and self._is_ruled_out(first)):
            share = exp(first.log_probability) + exp(self.probabilities[None] - self._normaliser)
            yield Answer(None, (), log(share), min(1.0, share))
            found = (answer for answer in found if answer.function is not None)
        else:
            yield first
        yield from found

    def _is_ruled_out(self, answer: Answer) -> bool:
        """Whether the words ask for the opposite, or for something that arguments cannot say."""
        function, chosen = answer.function, answer.fillings
        if function is None or self.marks.forbid(function):
            return function is not None
        if self.slots.match is not None:
            return False  # its bounds and exceptions are the developer's words
        return not self.with_operators and bool(self._operators_of(answer) or self.marks.exclude(function, chosen))

    def _is_too_late(self, answer: Answer) -> bool:
        return answer.function is not None and self.marks.is_too_late(answer.function, answer.fillings)

    def _operators_of(self, answer: Answer) -> dict[str, list[tuple[str, JsonValue]]]:
        assert answer.function is not None
        index = self.domain.index[answer.function.label]
        return self.marks.of(answer.function, answer.fillings, self.slots.fillings(index))

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
                yield from self._next_of(opened)
            refusal = Answer(None, (), bound, min(1.0, exp(share)))
            stream = iter([refusal]) if index is None else self._calls_of(index)
            first = next(stream, None)
            if first is not None:
                heappush(opened, (-first.log_probability, order, first, stream))
        while opened:
            yield from self._next_of(opened)

    @staticmethod
    def _next_of(opened: list[tuple[float, int, Answer, Iterator[Answer]]]) -> Iterator[Answer]:
        """The best of what is opened; what follows it is made when more is asked for."""
        _, order, best, stream = heappop(opened)
        yield best
        following = next(stream, None)
        if following is not None:
            heappush(opened, (-following.log_probability, order, following, stream))

    def _calls_of(self, index: int) -> Iterator[Answer]:
        """The calls of one function by falling probability: first of what may well be meant, then
        of all that can be said; lazily, for most are never asked for."""
        function = self.domain.functions[index]
        share = self.probabilities[index]
        likely, total = self.slots.likely(index)
        rank = share + self._lead(index) - self._normaliser
        seen: set[str] = set()
        least = 0.0
        for chosen, score in chain(likely(), self.slots.spelt_out(index)):
            if not stands_together(self.slots.grammar(index), chosen):
                continue
            key = repr([None if filling is None else (filling.value,) for filling in chosen])
            if key not in seen:  # one value may be said in several places
                seen.add(key)
                within = least = min(least, score - total)
                yield Answer(function, chosen, rank + within, min(1.0, exp(share + within)), exp(within))

    def _lead(self, index: int) -> float:
        """By how much (log) the best call of a likely function is preferred to its own share.

        Whole calls of functions with many slots divide their function's share; ranked by the
        product alone, the fallback and functions without slots would win where the function
        itself is the likelier one.
        """
        if index not in self._leads:
            lead = 0.0
            if self.probabilities[index] >= LIKELY_SHARE and self.domain.functions[index].slots:
                likely, total = self.slots.likely(index)
                lead = max(0.0, total - next(likely())[1])
            self._leads[index] = lead
        return self._leads[index]

    @cached_property
    def _normaliser(self) -> float:
        """Log of the sum of all ranks, so that they are probabilities of the answers."""
        ranks = [share + (0.0 if index is None else self._lead(index)) for index, share in self.probabilities.items()]
        return log_sum_exp(np.array(ranks))

    # -- results -------------------------------------------------------------------------

    def alternative(self, answer: Answer, confidence: float) -> Alternative:
        refusal = Call(DO_NOT_UNDERSTAND, confidence=confidence)
        call = refusal if answer.function is None else self.call(answer, confidence)
        return Alternative((call,), answer.log_probability, confidence)

    def call(self, answer: Answer, confidence: float) -> Call:
        function = answer.function
        assert function is not None
        marked = self._operators_of(answer) if self.with_operators else {}
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
                grammar = self.slots.grammar(self.domain.index[function.label])
                value = self.generator.value(self.request.utterance, function, slot, arguments, grammar)
            arguments[slot.name] = value
        said = arguments.keys() | marked.keys()
        missing = tuple(slot.name for slot in function.slots if slot.required and slot.name not in said)
        question = clarification(function, function.slot[missing[0]]) if missing else None
        return Call(function.label, arguments, spans, marked, missing, question, confidence)

    def explanation(self, best: Answer, grounds: Mapping[str, float]) -> Explanation:
        rows: list[dict[str, JsonValue]] = [
            {
                "name": self.domain.functions[rival.index].label,
                "probability": exp(self.probabilities[rival.index]),
                "score": rival.score,
                **rival.features,
                **({"doubt": self.doubts[rival.index]} if rival.index in self.doubts else {}),
            }
            for rival in self.verdict.rivals[:8]
        ]
        if None in self.probabilities:
            shares = {"probability": exp(self.probabilities[None]), "score": self.verdict.fallback}
            rows.append({"name": DO_NOT_UNDERSTAND, **shares, **self.verdict.fallback_features})
        slots: list[dict[str, JsonValue]] = []
        if best.function is not None:
            own = self.slots.fillings(self.domain.index[best.function.label])
            for slot, fillings in zip(best.function.slots, own, strict=True):
                choices: list[tuple[JsonValue, float]] = [(ABSENT, share_of(fillings, 0.0))]
                choices += [(None if f.value is FREE else f.value, share_of(fillings, f.score)) for f in fillings[:6]]
                slots.append({"function": best.function.label, "slot": slot.name, "choices": choices})
        decided = "evidence" if self.request.may_refuse else "tool_choice"
        decided = decided if self.replied is None else "expectation" if self.request.expectations else "values"
        decided = decided if self.slots.match is None else "exemplar"
        exemplar = self.slots.match.exemplar.text if self.slots.match else None
        return Explanation(decided, exemplar, tuple(rows), tuple(slots), grounds)


def _shares(scores: Mapping[int | None, float]) -> dict[int | None, float]:
    """Log probabilities from log odds."""
    total = log_sum_exp(np.array([*scores.values()]))
    return {key: score - total for key, score in scores.items()}
