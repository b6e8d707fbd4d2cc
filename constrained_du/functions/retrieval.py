"""Exemplars and descriptions as vectors and terms: which functions an utterance resembles.

Fitted once at ``finalize``; a request costs one embedding and no tokens. Without an embedder
the terms alone carry it. Knows functions by index only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Embedder
from constrained_du.functions import classifier
from constrained_du.text.lexicon import JOINTS
from constrained_du.text.terms import TermIndex
from constrained_du.text.words import SENTENCE_PUNCTUATION, atoms

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
TERM_WEIGHT = 7.0  # cosine to a TF-IDF centroid, beside logits; design.md, exemplar table
SAMPLED = 12  # exemplars of a function from which its radius is taken
HELD_FOLDS = 5  # a fifth of the exemplars is held out of the classifier to see how sure it is of such
EVERY_FOLD = 400  # exemplars up to which each fifth is held out in turn, and not the first alone
FEW_SLOTTED = 0.1  # share of the exemplars with slots up to which it is known how sure the classifier is of what is said
PRIOR = 4.0  # exemplars' worth of what holds for all functions, in a function's radius


MOST_NAMES = 0.65  # of the words; beyond, capitals are the writer's habit
_NO_NAMES = frozenset("I I'm I'd I'll I've I’m I’d I’ll I’ve".split())


def frame_of(utterance: str) -> str:
    """The utterance without its names (words in capitals inside a sentence): these say which
    value is meant, and mislead about the function. The utterance itself where little is left."""
    words = [atom for atom in atoms(utterance) if atom.kind != "blank"]
    before = [".", *(word.text for word in words)]
    named = [
        word.kind == "word" and word.text[:1].isupper() and word.text not in _NO_NAMES and last not in SENTENCE_PUNCTUATION
        for word, last in zip(words, before, strict=False)
    ]
    small = [word.text.casefold() in JOINTS for word in words]
    for i in range(1, len(words) - 1):
        after = next((named[j] for j in range(i + 1, len(words)) if named[j] or not small[j]), False)
        named[i] = named[i] or (small[i] and named[i - 1] and after)
    if not any(named) or sum(named) > MOST_NAMES * len(words):
        return utterance
    return " ".join(word.text for word, is_name in zip(words, named, strict=True) if not is_name)


@dataclass(frozen=True, slots=True)
class Resemblance:
    """How one utterance resembles each function, arrays of shape (functions,).

    ``description``: cosine with name and description; ``exemplar``: largest cosine with an
    exemplar (−1 where there is none); ``classified``: logits of the classifier;
    ``assured``: by how many standard deviations ``classified`` exceeds what most exemplars that the classifier never saw
    have at least for the likeliest function (one deviation below the mean); ``terms``: cosine of terms; ``radius``: by how
    many standard deviations ``exemplar`` exceeds what the function's exemplars are to each other; ``margin``: the same for
    what it is ahead of other functions.
    """

    description: Vectors
    exemplar: Vectors
    classified: Vectors
    assured: Vectors
    terms: Vectors
    radius: Vectors
    margin: Vectors

    @property
    def blended(self) -> Vectors:
        blended: Vectors = self.classified + np.float32(TERM_WEIGHT) * self.terms
        return blended


@dataclass(frozen=True)
class Retrieval:
    """The fitted index. ``owners`` (n,) gives the function of each exemplar vector; ``radii``
    (functions, 4) are mean and deviation of the nearness of its exemplars, and of their margin; ``held_out`` (2,) of the largest
    logit of exemplars that the classifier never saw, where nearly all are without slots."""

    functions: int
    terms: TermIndex
    descriptions: Vectors | None = None
    exemplars: Vectors | None = None
    owners: NDArray[np.int64] | None = None
    weights: Vectors | None = None
    radii: Vectors | None = None
    held_out: Vectors | None = None

    @classmethod
    def fit(
        cls,
        descriptions: Sequence[str],
        exemplars: Sequence[tuple[int, str]],
        embedder: Embedder | None,
        progress: Progress | None = None,
        more: Sequence[tuple[int, str]] = (),
    ) -> Retrieval:
        """``descriptions``: one text a function; ``exemplars``: (function, text); ``more`` are
        others for the vectors alone (terms are misled by words that nobody says)."""
        count = len(descriptions)
        owners = [*range(count), *(owner for owner, _ in exemplars)]
        texts = [*descriptions, *(text for _, text in exemplars)]
        terms = TermIndex.fit(texts, owners, count)
        if embedder is None:
            return cls(count, terms)
        owners += [owner for owner, _ in more]
        texts += [text for _, text in more]
        vectors = np.empty((len(texts), embedder.size), np.float32)
        for index, text in enumerate(texts):
            vectors[index] = embedder.embed(text)
            if progress:
                progress(index + 1, len(texts))
        return cls.from_vectors(terms, vectors, np.array(owners, np.int64), count, len(exemplars))

    @classmethod
    def from_vectors(
        cls, terms: TermIndex, vectors: Vectors, owners: NDArray[np.int64], count: int, own: int | None = None
    ) -> Retrieval:
        """``vectors`` (count + exemplars, size): descriptions first; ``own`` exemplars, then other versions of them."""
        weights = classifier.fit(vectors, owners, count) if len(vectors) > count and count > 1 else None
        last = len(vectors) if own is None else count + own
        radii = _radii(vectors[count:last], owners[count:last], count)
        slotted = len(vectors) - last > FEW_SLOTTED * (last - count)  # those are not as they are said, and easier to tell
        held_out = None if radii is None or slotted else _held_out(vectors[:last], owners[:last], count)
        return cls(count, terms, vectors[:count], vectors[count:], owners[count:], weights, radii, held_out)

    def resemblance(self, utterance: str, vector: Vectors | None) -> Resemblance:
        """``vector`` is the utterance's embedding, if there is an embedder."""
        similar = self.terms.similarity(utterance)
        none = np.zeros(self.functions, np.float32)
        if vector is None or self.descriptions is None:
            return Resemblance(none, none, none, none, similar, none, none)
        description = self.descriptions @ vector
        exemplar = np.full(self.functions, -1.0, np.float32)
        if self.exemplars is not None and self.owners is not None and len(self.exemplars):
            np.maximum.at(exemplar, self.owners, self.exemplars @ vector)
        classified = none if self.weights is None else classifier.logits(self.weights, vector)
        if self.radii is None:
            return Resemblance(description, exemplar, classified, none, similar, none, none)
        mean, deviation, ahead, spread = self.radii.T
        ranked = np.sort(exemplar)
        others = np.where(exemplar >= ranked[-1], ranked[-2], ranked[-1])
        radius, margin = (exemplar - mean) / deviation, (exemplar - others - ahead) / spread
        assured = none if self.held_out is None else (classified - self.held_out[0]) / self.held_out[1] + np.float32(1.0)
        return Resemblance(description, exemplar, classified, assured, similar, radius, margin)


def _held_out(vectors: Vectors, owners: NDArray[np.int64], functions: int) -> Vectors:
    """Mean and deviation of the largest logit of exemplars that are held out; ``vectors`` (functions + exemplars, size),
    descriptions first."""
    fold = (np.arange(len(vectors)) - functions) % HELD_FOLDS
    fold[:functions] = -1
    found: list[float] = []
    for held in range(HELD_FOLDS if len(vectors) - functions <= EVERY_FOLD else 1):
        weights = classifier.fit(vectors[fold != held], owners[fold != held], functions)
        found += [float(classifier.logits(weights, vector).max()) for vector in vectors[fold == held]]
    return np.array([np.mean(found), max(0.1, float(np.std(found)))], np.float32)


def _radii(exemplars: Vectors, owners: NDArray[np.int64], functions: int) -> Vectors | None:
    """For each function how near its exemplars are to each other, each left out in turn: mean and deviation
    of the largest cosine, and of its margin over other functions'. None where too few have two exemplars."""
    found: list[tuple[int, float, float]] = []
    for function in range(functions):
        own = np.flatnonzero(owners == function)
        if len(own) < 2:
            continue
        picked = own[np.linspace(0, len(own) - 1, min(SAMPLED, len(own))).astype(int)]
        cosines = exemplars[picked] @ exemplars.T
        cosines[np.arange(len(picked)), picked] = -1.0
        mine = owners == function
        for row in cosines:
            nearest = float(row[mine].max())
            found.append((function, nearest, nearest - float(row[~mine].max(initial=-1.0))))
    if functions < 2 or len({function for function, _, _ in found}) < 2:
        return None
    table = np.array(found)
    every = table[:, 1:]
    usual, spread = every.mean(axis=0), every.var(axis=0) + 1e-4
    radii = np.empty((functions, 4), np.float32)
    for function in range(functions):
        own_rows = every[table[:, 0] == function]
        count = len(own_rows)
        mean = (own_rows.sum(axis=0) + PRIOR * usual) / (count + PRIOR)
        variance = (((own_rows - mean) ** 2).sum(axis=0) + PRIOR * spread) / (count + PRIOR)
        radii[function] = (mean[0], variance[0] ** 0.5, mean[1], variance[1] ** 0.5)
    return radii
