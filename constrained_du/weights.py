"""The weights of all evidence: tuned once on the development files (benchmarks/tuning.py).

Numbers only, each with what it weighs; no code of judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLOT_WEIGHTS: dict[str, float] = {
    "after determiner": 0.747,
    "after preposition": 0.418,
    "at end": 0.244,
    "before function word": 0.247,
    "boolean": 1.265,
    "context": 0.576,
    "context both": 0.763,
    "covers": 0.694,
    "cue": 1.028,
    "cut left": 0.218,
    "cut name": -0.937,
    "cut right": 0.166,
    "described": 1.826,
    "determiner first": -0.22,
    "edges": -0.616,
    "empty": 0.678,
    "expected": 2.884,
    "expected kind": -0.09,
    "expected whole": 0.343,
    "explained": -2.189,
    "explained all": 0.926,
    "kind missing": -0.469,
    "kind name": 1.649,
    "kind other": -0.093,
    "kind same": 1.295,
    "kind unwanted": -1.632,
    "long": -0.055,
    "mention": 3.72,
    "name": 0.151,
    "named": 0.537,
    "no context": -0.295,
    "preposition inside": -0.106,
    "punctuation inside": -0.312,
    "required": 0.3,
    "source recognizer": 1.2,
    "source time": 1.2,
    "fuzzy": -1.0,
    "described alone": 1.0,
    "name part": 1.5,
    "one letter": -1.0,
    "role": 0.2,
    "best role": 0.3,
    "rare": -0.5,
    "shaped": 0.732,
    "share": 0.601,
    "some": 0.333,
    "source entity": 1.2,
    "source enum": -1.604,
    "source number": 0.656,
    "source verbatim": -3.124,
    "splits kind": -1.481,
    "two or more": -0.05,
    "unmentioned": -0.728,
    "unshown": 0.204,
    "verb inside": -1.13,
    "whole": -0.104,
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
