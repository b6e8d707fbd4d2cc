"""Exemplars and descriptions as vectors and terms: which functions an utterance resembles.

Fitted once at ``finalize``; a request costs one embedding and no tokens. Without an embedder
the terms alone carry it. Knows functions by index only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constrained_du import classifier
from constrained_du.backend import Embedder
from constrained_du.lexicon import JOINTS
from constrained_du.terms import TermIndex
from constrained_du.words import SENTENCE_PUNCTUATION, atoms

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
TERM_WEIGHT = 7.0  # cosine to a TF-IDF centroid, beside logits; design.md, exemplar table


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
    ``terms``: cosine of terms.
    """

    description: Vectors
    exemplar: Vectors
    classified: Vectors
    terms: Vectors

    @property
    def blended(self) -> Vectors:
        blended: Vectors = self.classified + np.float32(TERM_WEIGHT) * self.terms
        return blended


@dataclass(frozen=True)
class Retrieval:
    """The fitted index. ``owners`` (n,) gives the function of each exemplar vector."""

    functions: int
    terms: TermIndex
    descriptions: Vectors | None = None
    exemplars: Vectors | None = None
    owners: NDArray[np.int64] | None = None
    weights: Vectors | None = None

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
        return cls.from_vectors(terms, vectors, np.array(owners, np.int64), count)

    @classmethod
    def from_vectors(cls, terms: TermIndex, vectors: Vectors, owners: NDArray[np.int64], count: int) -> Retrieval:
        """``vectors`` (count + exemplars, size): descriptions first."""
        weights = classifier.fit(vectors, owners, count) if len(vectors) > count and count > 1 else None
        return cls(count, terms, vectors[:count], vectors[count:], owners[count:], weights)

    def resemblance(self, utterance: str, vector: Vectors | None) -> Resemblance:
        """``vector`` is the utterance's embedding, if there is an embedder."""
        similar = self.terms.similarity(utterance)
        none = np.zeros(self.functions, np.float32)
        if vector is None or self.descriptions is None:
            return Resemblance(none, none, none, similar)
        description = self.descriptions @ vector
        exemplar = np.full(self.functions, -1.0, np.float32)
        if self.exemplars is not None and self.owners is not None and len(self.exemplars):
            np.maximum.at(exemplar, self.owners, self.exemplars @ vector)
        classified = none if self.weights is None else classifier.logits(self.weights, vector)
        return Resemblance(description, exemplar, classified, similar)
