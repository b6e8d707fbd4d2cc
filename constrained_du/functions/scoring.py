"""Evidence about functions: which of them an utterance asks for, as named numbers.

Retrieval leaves few, the language model judges those: how likely the utterance is from a
user of the function (channel), and how likely its name follows the utterance (direct, less
what the model says for utterances without content).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Protocol

import numpy as np

from constrained_du.decoding import prompt
from constrained_du.decoding.backend import Backend, Embedder, Query
from constrained_du.domain.deeds import ends_others, withheld
from constrained_du.domain.domain import Domain
from constrained_du.errors import DecodeError
from constrained_du.functions.preparing import Prepared, direct_query, places_of
from constrained_du.functions.retrieval import Vectors, frame_of
from constrained_du.functions.roles import roles
from constrained_du.slots.evidence import Features
from constrained_du.slots.fillings import Filling
from constrained_du.slots.places import is_shown
from constrained_du.slots.senses import Meanings, Sense, senses
from constrained_du.slots.view import View
from constrained_du.text.lexicon import words_of
from constrained_du.text.opposites import asks_state, compared, ends_something, sides, speaks_of_all
from constrained_du.text.pleasantries import courtesies, is_about_courtesies
from constrained_du.text.remarks import asks_rule, hears_praise, praises
from constrained_du.text.words import atoms, is_mostly_unspaced, own_words
from constrained_du.types import Span
from constrained_du.weights import BARE, BARE_READ, OTHER, SHOWN, FunctionWeights


class Holding(Protocol):
    """How functions' slots take up what was said, by function index."""

    def holds_value(self, index: int) -> bool:
        """Whether a typed value of the function's was said; cheap."""
        ...

    def held(self, index: int) -> Mapping[str, float]: ...


AT_WORST = ("channel", "direct", "slots", "typed", "left")
"""Features that functions which were not judged have at the worst judged one's value."""
SHORTLIST = 6  # functions that the model judges at most; the right one is among six in 98 of 100 lines
COVER = 0.9  # share of what retrieval finds likely that is judged; more changes no answer (benchmarks/README.md)
CLEAR = 2.0  # log odds between one function and the fallback from which the model is not asked
SHORTLIST_SHORT = 3  # functions that are judged where the likeliest lacks what all of its exemplars say
SHORTLIST_BESIDE = 2  # conversation functions that the model judges beside those
NOT_MEANT = 8.0  # log odds against a conversation function where the words say more than it can hold
FAR = 6.0  # standard deviations from which it does not matter how far
ENOUGH_EXEMPLARS = 2.0  # a function, on average: then the classifier is fitted and weighs


@dataclass(frozen=True)
class Rival:
    """One function as a candidate, with its named evidence and log odds."""

    index: int
    features: Mapping[str, float]
    score: float


@dataclass(frozen=True)
class Verdict:
    """The rivals, best first, and the score of ``do_not_understand`` beside them."""

    rivals: tuple[Rival, ...]
    fallback: float
    fallback_features: Mapping[str, float] = field(default_factory=dict)


def _rank(rival: Rival) -> tuple[float, int]:
    return -rival.score, rival.index


def _joined(verdict: Verdict, others: Sequence[Rival], shift: float) -> Verdict:
    """The verdict with more rivals, their odds against the fallback kept by ``shift``."""
    moved = (replace(rival, score=rival.score + shift) for rival in others)
    return replace(verdict, rivals=tuple(sorted((*verdict.rivals, *moved), key=_rank)))


def _first(quick: Mapping[int, float], among: Sequence[int], most: int) -> list[int]:
    """The likeliest few, the earlier in spec order first among equals."""
    return sorted(among, key=lambda i: (-quick[i], i))[:most]


def _worth_judging(quick: Mapping[int, float], own: Sequence[int]) -> list[int]:
    """The likeliest functions that together have COVER of what is likely."""
    first = _first(quick, own, SHORTLIST)
    if not first:
        return []
    top = quick[first[0]]
    shares = np.exp([quick[i] - top for i in own])
    reached = np.cumsum([np.exp(quick[i] - top) for i in first]) / shares.sum()
    return first[: int(np.searchsorted(reached, COVER)) + 1]


def behind(verdict: Verdict, unlikely: Sequence[int]) -> Verdict:
    """The verdict with functions that are not meant behind all others, though still there."""
    last = min((verdict.fallback, *(rival.score for rival in verdict.rivals)))
    rivals = (Rival(index, {"not meant": 1.0}, last - NOT_MEANT) for index in unlikely)
    return replace(verdict, rivals=(*verdict.rivals, *rivals))


@dataclass(frozen=True)
class FunctionScorer:
    """Scores functions for utterances."""

    domain: Domain
    backend: Backend
    embedder: Embedder | None
    prepared: Prepared

    def weights_for(self, utterance: str) -> FunctionWeights:
        """By what there is to go by: the script of the utterance, exemplars, an embedder, a model that reads."""
        if is_mostly_unspaced(utterance):
            return OTHER
        if self.domain.shown >= ENOUGH_EXEMPLARS and self.embedder is not None:
            return SHOWN
        return BARE_READ if self.prepared.heads and self.embedder is not None else BARE

    def verdict(
        self,
        utterance: str,
        allowed: Sequence[int],
        situation: Mapping[int, Mapping[str, float]] | None = None,
        unlikely: Collection[int] = (),
        slots: Holding | None = None,
    ) -> Verdict:
        """``allowed`` are indices of functions; ``situation`` has features of those that were
        expected or talked about, which the model judges in any case; ``unlikely`` functions come
        last, unjudged, and the others are not compared with them; ``slots`` gives features of a
        function's slots, asked for those that the model judges."""
        meant = [index for index in allowed if index not in unlikely]
        if meant and len(meant) < len(allowed):
            last = [index for index in allowed if index in unlikely]
            return behind(self._verdict(utterance, meant, situation or {}, frozenset(last), slots), last)
        return self._verdict(utterance, allowed, situation or {}, frozenset(), slots)

    def _verdict(
        self,
        utterance: str,
        allowed: Sequence[int],
        known: Mapping[int, Mapping[str, float]],
        away: frozenset[int],
        slots: Holding | None,
    ) -> Verdict:
        """Conversation functions are judged beside the developer's, whose scores and whose
        fallback are what they would be without them."""
        utterance = own_words(utterance).strip()  # blanks around it are tokens, and mean nothing
        weights = self.weights_for(utterance)
        words = sum(atom.kind != "blank" for atom in atoms(utterance))
        beside = [i for i in allowed if i in self.domain.built_in]
        own = [i for i in allowed if i not in self.domain.built_in] or beside
        beside = beside if own is not beside else []
        retrieved = self._against_all(self.retrieved(utterance, away | frozenset(beside)), beside)
        plain = {i: {**retrieved[i], **known.get(i, {})} for i in allowed}
        for i in (i for i in plain if "expected" in known.get(i, {})):
            plain[i]["unasked"] = 0.0  # an answer may be told in any way
        quick = {i: weights.quick(plain[i]) for i in allowed}
        asked = [i for i in known if i in quick and "expected" in known[i]]
        few = _worth_judging(quick, own)
        if not beside and len({*few, *asked}) == 1:
            rivals = sorted((Rival(i, plain[i], quick[i]) for i in own), key=_rank)
            fallback = weights.fallback_features(rivals[0].features, retrieved, own, {}, words)
            verdict = Verdict(tuple(rivals), weights.quick_fallback(fallback), fallback)
            margin, best = rivals[0].score - verdict.fallback, rivals[0].index
            if slots is not None and margin >= CLEAR and slots.held(best)["short"]:
                few = _first(quick, own, SHORTLIST_SHORT)  # the words are like the function's, but ask for less than it ever does
            elif margin >= CLEAR or (margin <= -CLEAR and not (slots is not None and slots.holds_value(best))):
                return verdict  # nothing is refused without a further look that holds a value of the function's
        few = sorted({*few, *_first(quick, beside, SHORTLIST_BESIDE), *asked})
        judged = self.judged(utterance, few, weights.weighs("direct"))
        if slots is not None:
            judged = {i: {**found, **slots.held(i)} for i, found in judged.items()}
        floor = {name: min(found.get(name, 0.0) for found in judged.values()) for name in AT_WORST} if judged else {}
        floor |= {"short": max(found.get("short", 0.0) for found in judged.values())} if judged else {}
        features = {i: {**plain[i], **judged.get(i, {"unjudged": 1.0, **floor})} for i in allowed}
        rivals = sorted((Rival(i, features[i], weights.score(features[i])) for i in own), key=_rank)
        of_own = {i: found for i, found in judged.items() if i in own}
        fallback = weights.fallback_features(rivals[0].features if rivals else {}, retrieved, own, of_own, words)
        verdict = Verdict(tuple(rivals), weights.fallback(fallback), fallback)
        if not beside:
            return verdict
        others = sorted((Rival(i, features[i], weights.score(features[i])) for i in beside), key=_rank)
        theirs = weights.fallback(weights.fallback_features(others[0].features, retrieved, allowed, judged, words))
        return _joined(verdict, others, verdict.fallback - theirs)

    @staticmethod
    def _against_all(retrieved: list[dict[str, float]], beside: Sequence[int]) -> list[dict[str, float]]:
        """The classifier's verdict on functions ``beside`` the others, against these and those."""
        top = max((0.0, *(retrieved[i]["classified"] for i in beside)))
        shifted = {i: {**retrieved[i], "classified": retrieved[i]["classified"] - top} for i in beside}
        return [shifted.get(i, found) for i, found in enumerate(retrieved)]

    def active(self, history: Sequence[str], allowed: Sequence[int]) -> dict[int, dict[str, float]]:
        """What the last utterances were about, no tokens: for each function its share (``active``, they add up to one), and
        by how much they are more like it than like the others (``talk``: who spoke of buses reserves one)."""
        allowed = [i for i in allowed if i not in self.domain.built_in]
        scores, likeness, total = np.zeros(len(allowed)), np.zeros(len(allowed)), 0.0
        for age, utterance in enumerate(reversed(history) if allowed else ()):
            retrieved = self.retrieved(utterance, self.domain.built_in)
            weights = self.weights_for(utterance)
            own = np.array([weights.quick(retrieved[i]) for i in allowed])
            similar = np.array([retrieved[i]["similar"] for i in allowed])
            scores += np.exp(own - own.max()) / np.exp(own - own.max()).sum() * 0.5**age
            likeness += (similar - similar.mean()) * 0.5**age
            total += 0.5**age
        shares, talk = scores / max(1e-9, scores.sum()), likeness / max(1e-9, total)
        return {i: {"active": float(a), "talk": float(t)} for i, a, t in zip(allowed, shares, talk, strict=True)}

    def retrieved(self, utterance: str, away: frozenset[int] = frozenset()) -> list[dict[str, float]]:
        """For every function what retrieval says, those ``away`` being no rivals; no tokens."""
        vector = None if self.embedder is None else self._embedded(self.embedder, utterance)
        main = self.prepared.retrieval.resemblance(utterance, vector)
        portrait = self.prepared.portraits.resemblance(utterance, vector)
        name = self.prepared.names.resemblance(utterance, vector)
        said = sides(utterance)
        asks, everything = asks_state(utterance), speaks_of_all(utterance)
        poles = [compared(said, own) for own in self.domain.sides]
        polite, praise = courtesies(utterance), praises(utterance)
        unasked, words = withheld(self.domain.deeds, utterance), words_of(utterance)
        ends = ends_something(utterance) and not asks_rule(utterance)
        explained = [self.domain.explained[function.label] for function in self.domain.functions]
        elsewhere = ends_others(explained, self.domain.enders, utterance) if ends else (False,) * len(explained)
        rivals = [index for index in range(len(main.classified)) if index not in away]
        classified = main.classified - np.float32(main.classified[rivals].max()) if rivals else main.classified
        measured = {
            "similar": (main.description + portrait.description + name.description).astype(np.float64) / 3,
            "terms": main.terms,
            "portrait terms": portrait.terms,
            "classified": classified,
            "exemplar": main.exemplar,
            "assured": np.clip(main.assured, -FAR, FAR),
            "radius": np.clip(main.radius, -FAR, FAR),
            "margin": np.clip(main.margin, -FAR, FAR),
        }
        rows = zip(*(values.tolist() for values in measured.values()), strict=True)
        return [
            {
                **dict(zip(measured, row, strict=True)),
                "same side": float(poles[i][0]),
                "opposite": float(poles[i][1] or self.domain.deeds[i].is_undone(words)),
                "ends": float(ends and self.domain.enders[i]),
                "ended": float(ends and self.domain.beginners[i]),
                "only asked": float(asks and self.domain.actuators[i]),
                "state asked": float(asks and self.domain.reporters[i]),
                "ends other": float(elsewhere[i]),
                "only polite": float(bool(polite) and not polite & explained[i] and not is_about_courtesies(explained[i])),
                "unasked": float(unasked[i]),
                "only praise": float(praise and not hears_praise(explained[i])),
                "all unsaid": float(not everything and i in self.domain.sweeping),
            }
            for i, row in enumerate(rows)
        ]

    @staticmethod
    def _embedded(embedder: Embedder, utterance: str) -> Vectors:
        """The unit vector between the utterance as it is and without its names."""
        vector, frame = embedder.embed(utterance), frame_of(utterance)
        if frame == utterance:
            return vector
        both = vector + embedder.embed(frame)
        unit: Vectors = both / np.float32(np.linalg.norm(both))
        return unit

    def roles(
        self, utterance: str, index: int, fillings: Sequence[Sequence[Filling]]
    ) -> Mapping[tuple[str, Span], Features]:
        """Evidence of meaning about which slot of a function a span fills; none for a single slot that exemplars show."""
        function, summaries = self.domain.functions[index], self.prepared.retrieval.descriptions
        if self.embedder is None or not self.prepared.slots or summaries is None:
            return {}
        if len(function.slots) < 2 and is_shown(self.domain.places[function.label].values()):
            return {}
        names = [slot.name for slot in function.slots]
        return roles(self.embedder, utterance, self.prepared.slots[index], summaries[index], names, fillings)

    def senses(
        self, view: View, index: int, free: Mapping[str, Sequence[bool]], usual: Collection[str]
    ) -> Mapping[str, Sense]:
        """The values that words mean which name none, for slots of a function (senses.senses); none without an embedder, and
        where it does not read the script."""
        summaries = self.prepared.retrieval.descriptions
        if self.embedder is None or not self.prepared.values or summaries is None or 2 * sum(view.is_unspaced) > len(view.units):
            return {}
        meanings = Meanings(summaries[index], self.prepared.slots[index], self.prepared.values[index])
        return senses(self.embedder, view, places_of(self.domain, self.domain.functions[index]), meanings, free, usual)

    def judged(self, utterance: str, few: Sequence[int], directly: bool) -> dict[int, dict[str, float]]:
        """For each of a few functions what the language model says; ``directly``: also how likely its name follows."""
        if not few:
            return {}
        said = tuple(self.backend.encode(utterance))
        names = [self.backend.encode(prompt.direct_choice(self.domain.functions[i])) for i in few] if directly else []
        queries = [
            *(Query(self.prepared.channels[i], (said,)) for i in few),
            Query(self.prepared.generic, (said,)),
            *([direct_query(self.backend, self.prepared.direct, utterance, names)] if directly else ()),
        ]
        answers = self.backend.score(queries)
        if not all(isfinite(sum(tokens)) for own in answers for tokens in own):
            raise DecodeError("the model gave scores that are not numbers - is the file damaged?")
        generic = sum(answers[len(few)][0])
        found: dict[int, dict[str, float]] = {}
        for n, i in enumerate(few):
            lift = sum(answers[n][0]) - generic
            found[i] = {"channel": lift, "lift": lift / max(1, len(said))}
            if directly:
                found[i]["direct"] = sum(answers[-1][n]) - self.prepared.bias[i]
        return found
