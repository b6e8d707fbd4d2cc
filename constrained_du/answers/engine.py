"""One request: utterance and candidates in, the answer and its rivals out.

Decides how a request is answered (refused, greedily, as one call, as several) and counts
what that cost. Deterministic: the same request gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp, log, prod
from time import perf_counter

from constrained_du.answers.answering import Answering
from constrained_du.decoding.backend import Backend, Embedder, Remembering
from constrained_du.decoding.generation import Generator
from constrained_du.decoding.prompt import clarification, greedy_prompt
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import Request
from constrained_du.errors import ContextOverflowError, InputError
from constrained_du.functions.preparing import Prepared
from constrained_du.functions.scoring import FunctionScorer
from constrained_du.grammar.candidates import Candidates, Expectation
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import Grammar
from constrained_du.loading import Settings
from constrained_du.slots.view import View
from constrained_du.text.clauses import clauses, goes_on, tells
from constrained_du.text.words import is_blank
from constrained_du.types import DO_NOT_UNDERSTAND, Alternative, Call, Explanation, Result, Span, Stats

RESERVED = 192  # tokens kept for prompts and the longest name beside an utterance
MOST_CLAUSES = 8  # of an utterance that is looked at as several requests
COURTESY = frozenset(("please", "thanks", "thank"))  # words beside a value that ask for nothing
SURE = 0.5  # a clause is a request of its own when it is likelier than not


@dataclass(frozen=True)
class Engine:
    """Answers requests about one domain with one model."""

    domain: Domain
    backend: Backend
    embedder: Embedder | None
    prepared: Prepared
    settings: Settings
    generator: Generator
    at_once = 1
    """Requests that may be under way together: one, since the model's memory is one."""

    def answer(self, request: Request) -> Result:
        started = perf_counter()
        with self.backend.exclusive() as count:
            result = self._answer(request)
            return replace(result, stats=Stats(count.tokens, count.passes, perf_counter() - started))

    def _answer(self, request: Request) -> Result:
        if (refused := settled(request)) is not None:
            return refused
        self._check_length(request.utterance)
        if self.settings.decoder == "greedy":
            return decoded(self.domain, request, self.generator.calls, Explanation("greedy"))
        embedder = None if self.embedder is None else Remembering(self.embedder)
        scorer = FunctionScorer(self.domain, self.backend, embedder, self.prepared)
        single = self._one(request, scorer)
        divided = self._several if request.max_calls > 1 else self._unblended
        return self._cautious(divided(request, single, scorer) or single, request)

    def _check_length(self, utterance: str) -> None:
        """Refuses what cannot fit before anything is evaluated."""
        room = self.backend.context - RESERVED
        if len(utterance.encode("utf-8", "surrogatepass")) <= room:
            return  # no token is less than a byte
        # Tokenizing megabytes takes seconds, and no token has more than some 64 letters.
        needed = len(self.backend.encode(utterance)) if len(utterance) <= 64 * room else len(utterance) // 4
        if needed > room:
            raise ContextOverflowError(
                f"the utterance has about {needed} tokens and the context of {self.backend.context} tokens leaves "
                f"room for {room} - shorten it or raise context="
            )

    def _one(self, request: Request, scorer: FunctionScorer) -> Result:
        return Answering(self.domain, scorer, self.generator, request, self.settings.operators).result()

    def _cautious(self, result: Result, request: Request) -> Result:
        """Refuses calls that are likelier wrong than ``caution`` tolerates."""
        caution = self.settings.caution
        if caution is None or not request.may_refuse or not result.understood or 1 - result.confidence <= caution:
            return result
        refusal = Call(DO_NOT_UNDERSTAND, confidence=1 - result.confidence)
        others = tuple(a for a in result.alternatives if a.calls[0].name != DO_NOT_UNDERSTAND)
        first = Alternative((refusal,), 0.0, 1 - result.confidence)
        return replace(
            result, calls=(refusal,), confidence=first.confidence,
            alternatives=(first, *others)[: request.n_best], explanation=replace(result.explanation, decided_by="caution"),
        )  # fmt: skip

    def _unblended(self, request: Request, single: Result, scorer: FunctionScorer) -> Result | None:
        """The first request of several, where the one call that may be given would mix them
        ("turn off the light and open the door")."""
        if not single.understood or single.explanation.decided_by != "evidence" or not single.calls[0].arguments:
            return None  # without arguments nothing is mixed
        pieces = _pieces(request)
        if any(goes_on(request.utterance[piece.start : piece.end]) for piece in pieces[1:]):
            return None
        several = self._several(replace(request, max_calls=MOST_CLAUSES), single, scorer, unlike=single.calls[0])
        said = [call.name for call in several.calls] if several is not None else []
        if several is None or len(set(said)) < len(said):  # a clause that goes on with the same call
            return None
        if single.calls[0].name == said[-1] and tells(request.utterance[pieces[0].start : pieces[0].end]):
            return None  # what is asked for comes last, its reason first
        first = Alternative(several.calls[:1], several.alternatives[0].score, several.confidence)
        rest = tuple(other for other in single.alternatives if other.score < first.score)
        return replace(several, calls=first.calls, alternatives=(first, *rest)[: request.n_best])

    # -- several calls -------------------------------------------------------------------

    def _several(
        self, request: Request, single: Result, scorer: FunctionScorer, unlike: Call | None = None
    ) -> Result | None:
        """The calls of the clauses, where each clause is a request of its own and none is the call ``unlike``."""
        pieces = _pieces(request)
        if not 1 < len(pieces) <= max(request.max_calls, MOST_CLAUSES):
            return None
        calls: list[Call] = []
        confidences: list[float] = []
        for piece in pieces:
            part = self._one(self._part(request, piece, calls), scorer)
            best = part.calls[0]
            if not calls and _is_same(best, unlike):
                return None  # the other clauses need no look
            new = not calls or best.name not in {call.name for call in calls}
            own = (bool(best.arguments) or new) and not _is_value_of(single, request.utterance, piece)
            if not part.understood or part.confidence < SURE * SURE or not own:
                return None
            calls.append(_shifted(best, piece.start))
            confidences.append(part.confidence)
        if len(calls) > request.max_calls or len({(c.name, c.to_json()) for c in calls}) < len(calls):
            return None
        shared = [self._with_shared(call, calls[:number]) for number, call in enumerate(calls)]
        if any(_is_same(call, unlike) for call in shared):
            return None
        confidence = prod(confidences)
        alternative = Alternative(tuple(shared), _log(confidence), confidence)
        explanation = replace(single.explanation, decided_by="clauses")
        rest = tuple(a for a in single.alternatives if a.score < alternative.score)
        return Result(tuple(shared), confidence, (alternative, *rest)[: request.n_best], Stats(), explanation)

    def _part(self, request: Request, piece: Span, before: Sequence[Call]) -> Request:
        """The request of one clause; what was just called may go on with bare values."""
        by_key = {
            key: tuple(
                replace(choice, span=Span(choice.span.start - piece.start, choice.span.end - piece.start))
                for choice in choices
                if choice.span is not None and piece.start <= choice.span.start and choice.span.end <= piece.end
            )
            for key, choices in request.candidates.by_key.items()
        }
        expectations = request.expectations
        if before and before[-1].arguments:
            expectations = tuple(Expectation(slot, before[-1].name) for slot in before[-1].arguments)
        text = request.utterance[piece.start : piece.end]
        candidates = Candidates(by_key)
        return replace(request, utterance=text, candidates=candidates, expectations=expectations, max_calls=1, n_best=1)

    def _with_shared(self, call: Call, before: Sequence[Call]) -> Call:
        """A required slot said once for all: "lights off and shades down in the kitchen"."""
        function = self.domain.by_label[call.name]
        arguments = dict(call.arguments)
        for slot in call.missing:
            source = next((c for c in reversed(before) if slot in c.arguments and c.name != call.name), None)
            if source is not None and self.domain.by_label[source.name].slot[slot].schema == function.slot[slot].schema:
                arguments[slot] = source.arguments[slot]
        ordered = {slot.name: arguments[slot.name] for slot in function.slots if slot.name in arguments}
        missing = tuple(slot for slot in call.missing if slot not in ordered)
        question = clarification(function, function.slot[missing[0]]) if missing else None
        return replace(call, arguments=ordered, missing=missing, clarification=question)


# -- greedy ------------------------------------------------------------------------------

Decode = Callable[[str, Grammar], tuple[tuple[Call, ...], float]]
"""The calls that a prompt gives under a grammar, and the log of their probability."""


def decoded(domain: Domain, request: Request, decode: Decode, explanation: Explanation) -> Result:
    """The calls that masked decoding gives: what other constrained decoders do."""
    binder = Binder(request.utterance, request.candidates, domain.ontology, request.now)
    functions = [domain.functions[i] for i in request.allowed]
    grammar = Grammar(tuple(map(binder.bind, functions)), request.max_calls, request.may_refuse)
    found, log_probability = decode(greedy_prompt(request.utterance, functions), grammar)
    confidence = exp(log_probability)
    calls = tuple(_finished(domain, call, confidence) for call in found)
    return Result(calls, confidence, (Alternative(calls, log_probability, confidence),), Stats(), explanation)


def _finished(domain: Domain, call: Call, confidence: float) -> Call:
    function = domain.by_label.get(call.name)
    if function is None:
        return replace(call, confidence=confidence)
    missing = tuple(slot.name for slot in function.slots if slot.required and slot.name not in call.arguments)
    question = clarification(function, function.slot[missing[0]]) if missing else None
    return replace(call, missing=missing, clarification=question, confidence=confidence)


def settled(request: Request) -> Result | None:
    """The refusal of a request that asks for one, or says nothing; no model is needed."""
    if request.must_refuse:
        return _refusal("tool_choice")
    if not is_blank(request.utterance):
        return None
    if request.may_refuse:
        return _refusal("blank")
    raise InputError('a blank utterance has no call - leave tool_choice at "auto"')


def _is_value_of(result: Result, text: str, piece: Span) -> bool:
    """Whether a part of the utterance says values of the call and nothing else: then it asks for nothing else."""
    view = View(text[piece.start : piece.end])
    said: set[int] = set()
    for span in result.calls[0].spans.values():
        if piece.start <= span.start and span.end <= piece.end:
            first, last = view.within(Span(span.start - piece.start, span.end - piece.start))
            said.update(range(first, last + 1))
    return bool(said) and all(i in said for i, means in enumerate(view.is_content) if means and view.words[i] not in COURTESY)


def _pieces(request: Request) -> tuple[Span, ...]:
    """The clauses of an utterance; one, if a time or a number would be cut: "for an hour and a half"."""
    found = clauses(request.utterance)
    said = View(request.utterance, request.now).kinds if len(found) > 1 else {}
    whole = not any(span.start < piece.end < span.end for span in said for piece in found)
    return found if whole else (Span(0, len(request.utterance)),)


def _is_same(call: Call, other: Call | None) -> bool:
    return other is not None and call.name == other.name and dict(call.arguments) == dict(other.arguments)


def _shifted(call: Call, by: int) -> Call:
    return replace(call, spans={slot: Span(span.start + by, span.end + by) for slot, span in call.spans.items()})


def _log(probability: float) -> float:
    return log(max(probability, 1e-300))


def _refusal(reason: str) -> Result:
    call = Call(DO_NOT_UNDERSTAND, confidence=1.0)
    return Result((call,), 1.0, (Alternative((call,), 0.0, 1.0),), Stats(), Explanation(reason))

