"""Words and character n-grams as weighted terms: similarity that needs no model.

Carries languages without spaces and typing errors. Knows texts only; no functions, no slots.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from constrained_du.text.words import atoms

NGRAM_SIZES = (3, 4, 5)  # inside words, blanks at their edges included
MAX_WORD = 40  # letters; longer "words" are hashes or noise and would only cost time


def normalised(text: str) -> str:
    """Case, width and composition aside."""
    return unicodedata.normalize("NFKC", text).casefold()


def term_counts(text: str) -> Counter[str]:
    """Terms of a text: words, pairs of neighbours, and n-grams of letters.

    A run of letters in a script without spaces gives its single letters and pairs.
    """
    counts: Counter[str] = Counter()
    previous = ""
    for atom in atoms(normalised(text)):
        if atom.kind in ("blank", "sign") and not atom.text.isalnum():
            previous = "" if atom.kind == "sign" else previous
            continue
        word = atom.text[:MAX_WORD]
        counts[f"w {word}"] += 1
        if previous:
            counts[f"b {previous} {word}"] += 1
        previous = word
        if atom.kind == "word" and len(word) > 2:
            padded = f"^{word}$"
            counts.update(f"n {padded[i : i + n]}" for n in NGRAM_SIZES for i in range(len(padded) - n + 1))
    return counts


@dataclass(frozen=True)
class TermIndex:
    """TF-IDF centroids of classes, as an inverted index.

    ``columns[starts[t]:starts[t + 1]]`` are the classes that have term ``t``, ``weights`` the
    entries of their unit centroids.
    """

    vocabulary: Mapping[str, int]
    idf: NDArray[np.float32]
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    weights: NDArray[np.float32]
    classes: int

    @classmethod
    def fit(cls, texts: Sequence[str], owners: Sequence[int], classes: int) -> TermIndex:
        """Centroids of ``texts`` by owner (0 ≤ owner < classes)."""
        counted = [term_counts(text) for text in texts]
        frequency = Counter(term for counts in counted for term in counts)
        terms = sorted(frequency)
        vocabulary = {term: index for index, term in enumerate(terms)}
        idf = np.array([log((1 + len(texts)) / (1 + frequency[term])) + 1 for term in terms], np.float32)
        centroids: list[dict[int, float]] = [{} for _ in range(classes)]
        for counts, owner in zip(counted, owners, strict=True):
            for index, weight in _unit(_weighted(counts, vocabulary, idf)).items():
                centroids[owner][index] = centroids[owner].get(index, 0.0) + weight
        rows: list[list[tuple[int, float]]] = [[] for _ in terms]
        for column, centroid in enumerate(centroids):
            for index, weight in sorted(_unit(centroid).items()):
                rows[index].append((column, weight))
        starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        columns = np.array([column for row in rows for column, _ in row], np.int32)
        weights = np.array([weight for row in rows for _, weight in row], np.float32)
        return cls(vocabulary, idf, starts, columns, weights, classes)

    def similarity(self, text: str) -> NDArray[np.float32]:
        """Cosine of the text with each class, shape (classes,)."""
        scores = np.zeros(self.classes, np.float32)
        for index, weight in _unit(_weighted(term_counts(text), self.vocabulary, self.idf)).items():
            span = slice(int(self.starts[index]), int(self.starts[index + 1]))
            scores[self.columns[span]] += np.float32(weight) * self.weights[span]
        return scores


def _weighted(
    counts: Mapping[str, int], vocabulary: Mapping[str, int], idf: NDArray[np.float32]
) -> dict[int, float]:
    known = sorted((vocabulary[term], count) for term, count in counts.items() if term in vocabulary)
    return {index: (1 + log(count)) * float(idf[index]) for index, count in known}


def _unit(vector: Mapping[int, float]) -> dict[int, float]:
    length = sqrt(sum(weight * weight for weight in vector.values()))
    return {index: weight / length for index, weight in vector.items()} if length else {}
