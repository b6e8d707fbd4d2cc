"""The weights of all evidence: tuned once on the development files (benchmarks/tuning.py).

Numbers only, each with what it weighs; no code of judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLOT_WEIGHTS: dict[str, float] = {
    "source enum": -1.0,
    "source entity": 1.5,
    "source recognizer": 1.5,
    "source number": 1.0,
    "source time": 1.8,
    "source verbatim": -2.2,
    "required": 0.6,
    "expected": 1.5,
    "mention": 4.0,
    "unmentioned": -3.0,
    "boolean": 2.5,
    "context": 1.3,
    "context both": 0.8,
    "no context": -1.0,
    "share": 1.5,
    "kind same": 1.2,
    "kind other": -2.5,
    "kind missing": -1.5,
    "kind unwanted": -1.2,
    "cue": 1.2,
    "role": 1.0,
    "whole": 0.8,
    "covers": 0.35,
    "edges": -2.0,
    "empty": -3.0,
    "explained": -1.5,
    "long": -0.5,
    "name": 0.8,
    "cut left": -0.8,
    "cut right": -0.8,
    "splits kind": -2.0,
    "after preposition": 0.4,
    "at end": 0.3,
    "preposition inside": -0.6,
    "fuzzy": -1.0,
}


@dataclass(frozen=True, slots=True)
class FunctionWeights:
    """Weights of the evidence about functions, and of the fallback beside them."""

    of: Mapping[str, float]
    of_fallback: Mapping[str, float]

    def quick(self, features: Mapping[str, float]) -> float:
        """What can be said without the language model."""
        return self.score(features)

    def score(self, features: Mapping[str, float]) -> float:
        return sum(weight * features.get(name, 0.0) for name, weight in self.of.items())

    def fallback(self, features: Mapping[str, float]) -> float:
        return sum(weight * features.get(name, 0.0) for name, weight in self.of_fallback.items())

    @staticmethod
    def fallback_features(
        best: Mapping[str, float],
        retrieved: Sequence[Mapping[str, float]],
        allowed: Sequence[int],
        judged: Mapping[int, Mapping[str, float]],
    ) -> dict[str, float]:
        """What speaks for or against that none is meant: how good the best of each kind is."""
        top = {
            f"top {name}": max((retrieved[i][name] for i in allowed), default=0.0)
            for name in ("similar", "terms", "portrait terms", "exemplar")
        }
        lift = max((found["lift"] for found in judged.values()), default=0.0)
        direct = max((found["direct"] for found in judged.values()), default=0.0)
        own = {f"best {name}": value for name, value in best.items()}
        return {"bias": 1.0, "top lift": lift, "top direct": direct, **top, **own}


BARE = FunctionWeights(
    {"similar": 25.0, "terms": 8.0, "portrait terms": 8.0, "channel": 0.6, "direct": 0.4, "expected": 2.0, "unjudged": -4.0},
    {"bias": 0.0},
)
SHOWN = FunctionWeights(
    {"similar": 6.0, "terms": 8.0, "classified": 1.0, "channel": 0.3, "direct": 0.2, "expected": 2.0, "unjudged": -2.0},
    {"bias": 0.0},
)

EXEMPLAR_CERTAINTY = 12.0
"""Log odds of what an exemplar settles, against all else."""
SLOT_TEMPERATURE = 1.0
"""Divides the log odds of slots before they become probabilities."""
