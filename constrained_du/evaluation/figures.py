"""The arithmetic of figures: shares with counts, ranks, calibration, percentiles.

Ignorant of lines and converters; every function says what it gives for nothing
(``None``: a rate of no lines is unknown, not zero).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CALIBRATION_BINS = 15
"""Equal-width bins of the expected calibration error, as Guo et al. 2017 and most since."""


@dataclass(frozen=True, slots=True)
class Share:
    """``right`` out of ``of``."""

    right: int
    of: int

    @classmethod
    def of_flags(cls, flags: Iterable[bool]) -> Share:
        flags = list(flags)
        return cls(sum(flags), len(flags))

    @property
    def rate(self) -> float | None:
        return self.right / self.of if self.of else None

    def to_json(self) -> dict[str, float | int | None]:
        return {"rate": self.rate, "count": self.right, "of": self.of}


@dataclass(frozen=True, slots=True)
class SlotCounts:
    """Slot values: ``right`` ones among those ``said`` and those that were to be said (``gold``)."""

    right: int = 0
    said: int = 0
    gold: int = 0

    def __add__(self, other: SlotCounts) -> SlotCounts:
        return SlotCounts(self.right + other.right, self.said + other.said, self.gold + other.gold)

    @property
    def precision(self) -> float | None:
        return self.right / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        return self.right / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean; None where nothing was said nor to be said."""
        total = self.said + self.gold
        return 2 * self.right / total if total else None

    def to_json(self) -> dict[str, float | int | None]:
        rates = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return rates | {"right": self.right, "said": self.said, "gold": self.gold}


class Judged(NamedTuple):
    """One answer's confidence and whether it was right."""

    confidence: float
    right: bool


class Bin(NamedTuple):
    """The answers whose confidence lies in [low, high); the last bin holds 1.0 too."""

    low: float
    high: float
    answers: int
    confidence: float
    accuracy: float


def auroc(judged: Sequence[Judged]) -> float | None:
    """The probability that a right answer has more confidence than a wrong one; ties count half."""
    right = sum(item.right for item in judged)
    wrong = len(judged) - right
    if not right or not wrong:
        return None
    ranked = sorted(judged, key=lambda item: item.confidence)
    total, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end].confidence == ranked[start].confidence:
            end += 1
        total += (start + end + 1) / 2 * sum(item.right for item in ranked[start:end])
        start = end
    return (total - right * (right + 1) / 2) / (right * wrong)


def calibration(judged: Sequence[Judged], bins: int = CALIBRATION_BINS) -> list[Bin]:
    """The bins that hold anything, lowest confidence first."""
    held: list[list[Judged]] = [[] for _ in range(bins)]
    for item in judged:
        held[min(int(item.confidence * bins), bins - 1)].append(item)
    return [
        Bin(
            index / bins,
            (index + 1) / bins,
            len(items),
            math.fsum(item.confidence for item in items) / len(items),
            sum(item.right for item in items) / len(items),
        )
        for index, items in enumerate(held)
        if items
    ]


def calibration_error(judged: Sequence[Judged], bins: int = CALIBRATION_BINS) -> float | None:
    """Mean distance of confidence and accuracy over the bins, weighted by their counts."""
    if not judged:
        return None
    held = calibration(judged, bins)
    return math.fsum(bin.answers * abs(bin.accuracy - bin.confidence) for bin in held) / len(judged)


def risk_coverage(judged: Sequence[Judged]) -> list[tuple[float, float]]:
    """(share answered, share wrong among them) as the least confident are left out, from few to all.

    Answers of equal confidence enter together: no threshold parts them.
    """
    ranked = sorted(judged, key=lambda item: -item.confidence)
    points, wrong = [], 0
    for count, item in enumerate(ranked, 1):
        wrong += not item.right
        if count == len(ranked) or ranked[count].confidence != item.confidence:
            points.append((count / len(ranked), wrong / count))
    return points


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The nearest-rank percentile: always one of the values."""
    if not values:
        return None
    return sorted(values)[max(math.ceil(percent / 100 * len(values)), 1) - 1]


def mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def median(values: Sequence[float]) -> float | None:
    """The middle value, or the mean of the middle two."""
    if not values:
        return None
    ranked, half = sorted(values), len(values) // 2
    return float(ranked[half]) if len(values) % 2 else (ranked[half - 1] + ranked[half]) / 2
