"""The weights of all evidence: tuned once on the development files (benchmarks/tuning.py).

Numbers only, each with what it weighs; no code of judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLOT_WEIGHTS: dict[str, float] = {
    "after determiner": 0.62,
    "after preposition": 0.34,
    "at end": 0.111,
    "before function word": 0.026,
    "best role": 0.175,
    "boolean": 0.995,
    "context": 0.437,
    "context both": 0.787,
    "covers": 0.559,
    "cue": 0.89,
    "cut left": 0.137,
    "cut name": -1.402,
    "cut right": -0.057,
    "described": 0.811,
    "described alone": 0.662,
    "determiner first": -0.133,
    "edges": -0.568,
    "empty": 0.472,
    "expected": 2.807,
    "expected kind": 0.029,
    "expected whole": 0.14,
    "explained": -1.937,
    "explained all": 0.796,
    "fuzzy": -1.0,
    "kind missing": -0.577,
    "kind name": 1.211,
    "kind other": 0.487,
    "kind same": 1.379,
    "kind unwanted": -0.795,
    "long": -0.105,
    "mention": 3.701,
    "name": 0.256,
    "name part": 1.907,
    "named": 0.582,
    "no context": -0.387,
    "one letter": -0.456,
    "preposition inside": -0.031,
    "punctuation inside": -0.155,
    "rare": -0.001,
    "required": -1.379,
    "role": 0.308,
    "shaped": 0.038,
    "share": 0.623,
    "some": 0.277,
    "source entity": 0.933,
    "source enum": -1.398,
    "source number": 0.557,
    "source recognizer": 1.2,
    "source time": 1.2,
    "source verbatim": -2.418,
    "splits kind": -1.014,
    "template": 1.0,
    "template share": 1.0,
    "two or more": -0.029,
    "unmentioned": -0.888,
    "unshown": 0.242,
    "unspaced": -0.168,
    "verb inside": -1.154,
    "whole": -0.355,
}


BARE_VALUES: dict[str, float] = {"expected whole": 3.5, "active whole": 2.5}
"""An utterance that is nothing but values which fit what was asked, or talked about. Set by
hand on the bundled domains: the data sets have too few of these to fit them."""


def _weighed(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return sum(weight * features.get(name, 0.0) for name, weight in weights.items())


@dataclass(frozen=True, slots=True)
class FunctionWeights:
    """Weights of the evidence about functions, and of the fallback beside them."""

    of: Mapping[str, float]
    of_fallback: Mapping[str, float]

    def quick(self, features: Mapping[str, float]) -> float:
        """What can be said without the language model."""
        return self.score(features)

    def score(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of, features) + _weighed(BARE_VALUES, features)

    def fallback(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of_fallback, features)

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
        held = {f"top {name}": max((f.get(name, 0.0) for f in judged.values()), default=0.0) for name in ("slots", "typed")}
        top |= held | {"least left": min((f.get("left", 0.0) for f in judged.values()), default=1.0)}
        own = {f"best {name}": value for name, value in best.items()}
        return {"bias": 1.0, "top lift": lift, "top direct": direct, **top, **own}


# The biases of the fallback are lowered after the fit (BARE 0.6, SHOWN 0.5, OTHER 0.4): half of what was
# fitted on is to be refused, most of what is said to an assistant is not.
BARE = FunctionWeights(
    {
        "similar": 16.744,
        "terms": -0.085,
        "portrait terms": 8.524,
        "channel": 0.132,
        "direct": 0.206,
        "unjudged": -0.357,
        "expected": 0.696,
        "expected short": 0.328,
        "expected fit": 0.654,
        "active": 0.219,
        "active short": 0.171,
    },
    {
        "bias": 1.214,
        "top similar": 10.329,
        "top terms": -1.374,
        "top portrait terms": 6.678,
        "top lift": 0.683,
        "top direct": 0.093,
        "best similar": 2.57,
        "best terms": 1.168,
        "best portrait terms": -1.008,
        "best lift": -0.286,
        "best direct": 0.019,
        "best channel": -0.014,
        "best expected": -0.357,
        "best expected fit": -0.319,
        "best expected short": -0.144,
        "best active": -0.198,
    },
)
"""Where there are few exemplars or no embedder."""
SHOWN = FunctionWeights(
    {
        "similar": 4.556,
        "terms": 5.093,
        "portrait terms": 0.96,
        "channel": 0.152,
        "direct": 0.054,
        "unjudged": 0.285,
        "expected": 0.681,
        "expected short": 0.325,
        "expected fit": 0.673,
        "active": 0.258,
        "active short": 0.108,
        "classified": 1.007,
        "exemplar": 0.036,
    },
    {
        "bias": 0.81,
        "top similar": 7.632,
        "top terms": 4.057,
        "top portrait terms": 3.846,
        "top lift": 0.234,
        "top direct": 0.148,
        "best similar": -2.585,
        "best terms": -1.822,
        "best portrait terms": -1.921,
        "best lift": 0.083,
        "best direct": -0.082,
        "best channel": 0.068,
        "best expected": -0.559,
        "best expected fit": -0.551,
        "best expected short": -0.269,
        "best active": -0.194,
        "top exemplar": -4.969,
        "best exemplar": 0.607,
        "best classified": 0.029,
    },
)
"""Where exemplars carry a classifier."""
OTHER = FunctionWeights(
    {
        "similar": 0.0,
        "terms": 9.073,
        "portrait terms": 1.357,
        "channel": 0.311,
        "direct": 0.27,
        "unjudged": 0.484,
        "expected": 0.681,
        "expected short": 0.325,
        "expected fit": 0.673,
        "active": 0.258,
        "active short": 0.108,
    },
    {
        "bias": 1.138,
        "top similar": 0.0,
        "top terms": 0.432,
        "top portrait terms": 5.196,
        "top lift": 0.624,
        "top direct": 0.202,
        "best similar": 0.0,
        "best terms": 1.035,
        "best portrait terms": -5.244,
        "best lift": -0.359,
        "best direct": 0.028,
        "best channel": 0.215,
        "best expected": -0.559,
        "best expected fit": -0.551,
        "best expected short": -0.269,
        "best active": -0.194,
    },
)
"""For scripts without spaces, which the embedder does not read: terms and the model carry it."""

EXEMPLAR_CERTAINTY = 12.0
"""Log odds of what an exemplar settles, against all else."""
OPEN_CERTAINTY = 6.0
"""The same for slots of an exemplar that any words match: spans that cannot be meant may still lose."""
SLOT_SHARPNESS = 2.0
"""Multiplies the log odds of slots before they become probabilities: they were fitted against
a dozen rivals, and all spans of the utterance share the probability."""

CONFIDENCE_OF_CALLS: dict[str, float] = {"bias": 0.0, "function": 0.5, "slots": 0.5}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {"bias": 0.0, "function": 1.0}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
