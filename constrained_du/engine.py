"""One request: utterance and candidates in, the answer and its rivals out.

Exemplar match, then evidence about functions, then slots of the best functions, then the
ranking of complete answers. Deterministic: the same request gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import islice
from math import exp, log
from time import perf_counter

from constrained_du.backend import Backend, Count, Embedder
from constrained_du.candidates import Candidates, Expectation
from constrained_du.compile import Binder
from constrained_du.domain import Domain
from constrained_du.errors import InputError
from constrained_du.evidence import SlotEvidence
from constrained_du.fillings import FREE, Filler, Filling
from constrained_du.generation import Generator
from constrained_du.grammar import CallGrammar
from constrained_du.loading import Settings
from constrained_du.matching import Match
from constrained_du.prompt import clarification
from constrained_du.scoring import FunctionScorer, Prepared, Verdict
from constrained_du.search import assignments
from constrained_du.spec import Function
from constrained_du.types import (
    ABSENT, DO_NOT_UNDERSTAND, Alternative, Call, Explanation, JsonValue, Result, Span, Stats,
)  # fmt: skip
from constrained_du.view import View
from constrained_du.weights import EXEMPLAR_CERTAINTY, SLOT_TEMPERATURE
from constrained_du.words import is_blank

CLOSE = 4.0  # log odds: functions this far behind the best still have their slots filled
CONSIDERED = 64  # assignments that share the probability of a function


@dataclass(frozen=True, slots=True)
class Request:
    """One request, checked. ``allowed`` are indices of functions; see ``Converter.convert``."""

    utterance: str
    candidates: Candidates = Candidates()
    expectations: tuple[Expectation, ...] = ()
    history: tuple[str, ...] = ()
    now: datetime | None = None
    allowed: tuple[int, ...] = ()
    may_refuse: bool = True
    must_refuse: bool = False
    max_calls: int = 1
    n_best: int = 1


@dataclass(frozen=True, slots=True)
class _Answer:
    """One candidate answer: a function with its slots, or the fallback (function None)."""

    function: Function | None
    fillings: tuple[Filling | None, ...]
    log_probability: float


@dataclass(frozen=True)
class Engine:
    """Answers requests about one domain with one model."""

    domain: Domain
    backend: Backend
    embedder: Embedder | None
    prepared: Prepared
    settings: Settings
    generator: Generator

    def answer(self, request: Request) -> Result:
        started = perf_counter()
        with self.backend.exclusive() as count:
            result = self._answer(request)
            return replace(result, stats=_stats(count, perf_counter() - started))

    def _answer(self, request: Request) -> Result:
        if request.must_refuse:
            return _refusal("tool_choice")
        if is_blank(request.utterance):
            if request.may_refuse:
                return _refusal("blank")
            raise InputError("a blank utterance has no call - leave tool_choice at \"auto\"")
        self._check_length(request.utterance)
        thread = _Thread(self, request)
        return thread.result()

    def _check_length(self, utterance: str) -> None:
        """Refuses early what cannot fit; a token has at least one byte, most have four."""
        from constrained_du.errors import ContextOverflowError

        if len(utterance) > self.backend.context * 64:
            needed = len(utterance) // 4
        else:
            needed = len(self.backend.encode(utterance))
        room = self.backend.context - 192  # prompts and the longest call beside the utterance
        if needed > room:
            raise ContextOverflowError(
                f"the utterance has about {needed} tokens and the context of {self.backend.context} tokens has room for "
                f"{room} - shorten it or raise context="
            )


class _Thread:
    """The state of one request while it is answered."""

    def __init__(self, engine: Engine, request: Request) -> None:
        self.engine, self.request, self.domain = engine, request, engine.domain
        self.view = View(request.utterance, request.now)
        self.binder = Binder(request.utterance, request.candidates, engine.domain.ontology, request.now)
        self._bound: dict[int, CallGrammar] = {}
        self._slots: dict[int, list[list[Filling]]] = {}
        self.most = max(CONSIDERED, 4 * request.n_best)

    def grammar(self, index: int) -> CallGrammar:
        if index not in self._bound:
            self._bound[index] = self.binder.bind(self.domain.functions[index])
        return self._bound[index]

    def result(self) -> Result:
        allowed = self.request.allowed
        match = self.exemplar_match()
        if match is not None:
            verdict = self.certain(match)
        else:
            verdict = self.scorer().verdict(self.request.utterance, self.not_forbidden(), self.expected_functions())
        probabilities = self.function_probabilities(verdict)
        answers = list(islice(self.ranked(verdict, probabilities, match), max(1, self.request.n_best)))
        alternatives = tuple(self.alternative(answer, probabilities) for answer in answers)
        best = alternatives[0]
        explanation = self.explanation(verdict, probabilities, match, answers[0], allowed)
        return Result(best.calls, best.confidence, alternatives, Stats(), explanation)

    # -- functions -----------------------------------------------------------------------

    def scorer(self) -> FunctionScorer:
        return FunctionScorer(self.domain, self.engine.backend, self.engine.embedder, self.engine.prepared)

    def expected_functions(self) -> tuple[int, ...]:
        wanted = (self.domain.index[expectation.function] for expectation in self.request.expectations)
        return tuple(dict.fromkeys(index for index in wanted if index in self.request.allowed))

    def matches(self) -> list[Match]:
        labels = {self.domain.functions[i].label: self.grammar(i) for i in self.request.allowed} if (
            self.domain.exemplars
        ) else {}
        expected = {(e.function, e.slot) for e in self.request.expectations} | {
            (e.function, None) for e in self.request.expectations
        }
        found = self.domain.templates.matches(self.view, labels) if labels else []
        return [m for m in found if m.exemplar.context is None or m.exemplar.context in expected]

    def exemplar_match(self) -> Match | None:
        return next((match for match in self.matches() if match.exemplar.mode != "negative"), None)

    def not_forbidden(self) -> tuple[int, ...]:
        forbidden = {self.domain.index[m.exemplar.function] for m in self.matches() if m.exemplar.mode == "negative"}
        return tuple(index for index in self.request.allowed if index not in forbidden)

    def certain(self, match: Match) -> Verdict:
        """A verdict that an exemplar settles: no tokens."""
        from constrained_du.scoring import Rival

        chosen = self.domain.index[match.exemplar.function]
        others = [i for i in self.request.allowed if i != chosen]
        rivals = [Rival(chosen, {"exemplar match": 1.0}, 0.0), *(Rival(i, {}, -EXEMPLAR_CERTAINTY) for i in others)]
        return Verdict(tuple(rivals), -EXEMPLAR_CERTAINTY)

    def function_probabilities(self, verdict: Verdict) -> dict[int | None, float]:
        """Natural logs; the key None is the fallback."""
        scores: dict[int | None, float] = {rival.index: rival.score for rival in verdict.rivals}
        if self.request.may_refuse:
            scores[None] = verdict.fallback
        if not scores:
            return {None: 0.0}
        top = max(scores.values())
        total = top + log(sum(exp(score - top) for score in scores.values()))
        return {key: score - total for key, score in scores.items()}

    # -- answers -------------------------------------------------------------------------

    def ranked(
        self, verdict: Verdict, probabilities: Mapping[int | None, float], match: Match | None
    ) -> Iterator[_Answer]:
        """Complete answers, likeliest first."""
        streams: list[Iterable[_Answer]] = []
        if None in probabilities:
            streams.append([_Answer(None, (), probabilities[None])])
        for rival in verdict.rivals:
            streams.append(self.calls_of(rival.index, probabilities[rival.index], match))
        return merge(*streams, key=lambda answer: -answer.log_probability)

    def calls_of(self, index: int, log_probability: float, match: Match | None) -> Iterator[_Answer]:
        """The calls of one function by falling probability; lazily, for most are never asked for."""
        function = self.domain.functions[index]
        slots = self.fillings(index)
        if match is not None and match.exemplar.function == function.label:
            slots = [self.matched(match, slot.name, own) for slot, own in zip(function.slots, slots, strict=True)]
        found = list(islice(assignments(slots), self.most))
        shares = [score / SLOT_TEMPERATURE for _, score in found]
        top = max(shares)
        total = top + log(sum(exp(share - top) for share in shares))
        for (chosen, _), share in zip(found, shares, strict=True):
            yield _Answer(function, chosen, log_probability + share - total)

    def fillings(self, index: int) -> list[list[Filling]]:
        if index not in self._slots:
            function = self.domain.functions[index]
            grammar = self.grammar(index)
            expected = {e.slot for e in self.request.expectations if e.function == function.label and e.slot}
            evidence = SlotEvidence(function, self.view, frozenset(expected), self.domain.explained[function.label])
            filler = Filler(evidence, grammar.definitions, self.most)
            places = self.domain.places[function.label]
            self._slots[index] = [
                filler.fillings(places[field.name], field.node, field.name) for field in grammar.slots.fields
            ]
        return self._slots[index]

    @staticmethod
    def matched(match: Match, slot: str, own: Sequence[Filling]) -> list[Filling]:
        """The fillings of a slot under an exemplar that matched: its own choice far ahead."""
        choices = match.choices.get(slot)
        if choices is None:
            return [replace(filling, score=filling.score - EXEMPLAR_CERTAINTY) for filling in own]
        values = [choice.value for choice in choices]
        spans = tuple((slot, choice.span) for choice in choices if choice.span is not None)
        listed = [f for f in own if isinstance(f.value, list)]
        value: JsonValue = values if listed or len(values) > 1 else values[0]
        chosen = Filling(value, EXEMPLAR_CERTAINTY, spans)
        return [chosen, *(replace(f, score=min(f.score, 0.0) - 1.0) for f in own if f.value != value)]

    def alternative(self, answer: _Answer, probabilities: Mapping[int | None, float]) -> Alternative:
        confidence = min(1.0, exp(answer.log_probability))
        if answer.function is None:
            return Alternative((Call(DO_NOT_UNDERSTAND, confidence=confidence),), answer.log_probability, confidence)
        return Alternative((self.call(answer.function, answer.fillings, confidence),), answer.log_probability, confidence)

    def call(self, function: Function, fillings: Sequence[Filling | None], confidence: float) -> Call:
        arguments: dict[str, JsonValue] = {}
        spans: dict[str, Span] = {}
        for slot, filling in zip(function.slots, fillings, strict=True):
            if filling is None:
                continue
            value = filling.value
            if value is FREE:
                value = self.engine.generator.value(self.request.utterance, function, slot, arguments, self.grammar(
                    self.domain.index[function.label]))  # fmt: skip
            arguments[slot.name] = value
            spans.update(filling.spans)
        missing = tuple(slot.name for slot in function.slots if slot.required and slot.name not in arguments)
        question = clarification(function, function.slot[missing[0]]) if missing else None
        return Call(function.label, arguments, spans, {}, missing, question, confidence)

    # -- explaining ----------------------------------------------------------------------

    def explanation(
        self,
        verdict: Verdict,
        probabilities: Mapping[int | None, float],
        match: Match | None,
        best: _Answer,
        allowed: Sequence[int],
    ) -> Explanation:
        rows: list[dict[str, JsonValue]] = [
            {
                "name": self.domain.functions[rival.index].label,
                "probability": exp(probabilities[rival.index]),
                "score": rival.score,
                **rival.features,
            }
            for rival in verdict.rivals[:8]
        ]
        if None in probabilities:
            fallback = {"name": DO_NOT_UNDERSTAND, "probability": exp(probabilities[None]), "score": verdict.fallback}
            rows.append({**fallback, **verdict.fallback_features})
        slots: list[dict[str, JsonValue]] = []
        if best.function is not None:
            own = self.fillings(self.domain.index[best.function.label])
            for slot, fillings in zip(best.function.slots, own, strict=True):
                slots.append({
                    "function": best.function.label, "slot": slot.name,
                    "choices": [(ABSENT, _share(fillings, None)), *(
                        (None if f.value is FREE else f.value, _share(fillings, f)) for f in fillings[:6]
                    )],
                })  # fmt: skip
        decided = "exemplar" if match is not None else "tool_choice" if not self.request.may_refuse else "evidence"
        return Explanation(decided, match.exemplar.text if match is not None else None, tuple(rows), tuple(slots))


def _share(fillings: Sequence[Filling], chosen: Filling | None) -> float:
    total = 1.0 + sum(exp(min(50.0, filling.score / SLOT_TEMPERATURE)) for filling in fillings)
    return (1.0 if chosen is None else exp(min(50.0, chosen.score / SLOT_TEMPERATURE))) / total


def _refusal(reason: str) -> Result:
    call = Call(DO_NOT_UNDERSTAND, confidence=1.0)
    return Result((call,), 1.0, (Alternative((call,), 0.0, 1.0),), Stats(), Explanation(reason))


def _stats(count: Count, seconds: float) -> Stats:
    return Stats(count.tokens, count.passes, seconds)


__all__ = ["Callable", "Engine", "Request"]
