"""The weights of all evidence: tuned once on the development files (benchmarks/tuning.py).

Numbers only, each with what it weighs; no code of judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLOT_WEIGHTS: dict[str, float] = {
    "after determiner": 0.61,
    "after preposition": 0.415,
    "at end": 0.155,
    "before function word": 0.082,
    "best role": 0.16,
    "boolean": 2.498,
    "context": 0.369,
    "context both": 0.777,
    "covers": 0.503,
    "cue": 0.882,
    "cut left": 0.134,
    "cut name": -1.427,
    "cut name across": -1.349,
    "cut right": -0.069,
    "described": 0.819,
    "described alone": 0.76,
    "determiner first": -0.17,
    "edges": -0.604,
    "empty": 0.532,
    "expected": 2.594,
    "expected kind": -0.251,
    "expected whole": 0.198,
    "explained": -1.846,
    "explained all": 0.815,
    "fuzzy": -1.0,
    "kind missing": -0.444,
    "kind name": 1.316,
    "kind other": 0.238,
    "kind same": 1.191,
    "kind unwanted": -0.858,
    "long": -0.086,
    "mention": 3.42,
    "mention cue": 0.409,
    "mention named": 1.789,
    "name": 0.193,
    "name part": 1.858,
    "named": 0.569,
    "named whole": 1.397,
    "no context": -0.348,
    "no template": 0.36,
    "one letter": -0.26,
    "preposition inside": 0.024,
    "pronoun": -1.841,
    "punctuation inside": -0.1,
    "required": -1.383,
    "role": 0.333,
    "shaped": 0.093,
    "share": 0.643,
    "some": 0.221,
    "source entity": 0.967,
    "source enum": -1.668,
    "source number": 0.558,
    "source recognizer": 1.2,
    "source time": 1.2,
    "source verbatim": -2.299,
    "splits kind": -0.384,
    "template": 0.357,
    "template share": 0.875,
    "two or more": -0.064,
    "unmentioned": -1.43,
    "unshown": 0.256,
    "unspaced": -0.297,
    "verb inside": -1.192,
    "whole": -0.418,
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
    of_quick: Mapping[str, float]
    of_quick_fallback: Mapping[str, float]
    """The same where neither the language model nor the slots were asked."""

    def quick(self, features: Mapping[str, float]) -> float:
        """What can be said without the language model."""
        return _weighed(self.of_quick, features) + _weighed(BARE_VALUES, features)

    def quick_fallback(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of_quick_fallback, features)

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
        "similar": 16.113,
        "terms": -0.412,
        "portrait terms": 3.932,
        "channel": 0.12,
        "direct": 0.129,
        "unjudged": 0.258,
        "expected": 0.518,
        "expected short": 0.166,
        "expected fit": 0.418,
        "active": 0.485,
        "active short": 0.095,
        "slots": 0.6,
        "typed": 0.054,
        "left": -1.075,
        "template": 0.0,
    },
    {
        "bias": 0.805,
        "top similar": 5.739,
        "top terms": -0.024,
        "top portrait terms": 1.934,
        "top lift": 0.37,
        "top direct": 0.146,
        "best similar": 3.337,
        "best terms": -1.396,
        "best portrait terms": 0.921,
        "best lift": -0.062,
        "best direct": 0.022,
        "best channel": 0.015,
        "best expected": -0.201,
        "best expected fit": -0.14,
        "best expected short": -0.096,
        "best active": -0.246,
        "top slots": -0.0,
        "top typed": -0.026,
        "least left": 0.65,
        "best slots": 0.209,
        "best typed": -0.057,
        "best left": 0.789,
        "best template": 0.0,
    },
    {
        "similar": 19.12,
        "terms": -0.53,
        "portrait terms": 6.99,
        "expected": 0.741,
        "expected short": 0.32,
        "expected fit": 0.704,
        "active": 0.598,
        "active short": 0.15,
        "template": 0.0,
    },
    {
        "bias": 1.201,
        "top similar": 11.384,
        "top terms": -1.398,
        "top portrait terms": 7.648,
        "best similar": 3.261,
        "best terms": -1.889,
        "best portrait terms": -2.861,
        "best expected": -0.196,
        "best expected fit": -0.182,
        "best expected short": -0.111,
        "best active": -0.236,
        "best template": 0.0,
    },
)
"""Where there are few exemplars or no embedder."""
SHOWN = FunctionWeights(
    {
        "similar": 3.798,
        "terms": -0.091,
        "portrait terms": 3.765,
        "channel": 0.101,
        "direct": 0.112,
        "unjudged": 0.478,
        "expected": 0.448,
        "expected short": 0.224,
        "expected fit": 0.422,
        "active": 0.334,
        "active short": 0.036,
        "slots": 0.586,
        "typed": -0.121,
        "left": -1.157,
        "template": 0.095,
        "classified": 0.949,
        "exemplar": 0.093,
    },
    {
        "bias": 0.772,
        "top similar": 4.347,
        "top terms": 0.081,
        "top portrait terms": 2.877,
        "top lift": 0.192,
        "top direct": 0.223,
        "best similar": -2.135,
        "best terms": -2.451,
        "best portrait terms": 1.46,
        "best lift": 0.081,
        "best direct": -0.059,
        "best channel": 0.039,
        "best expected": -0.349,
        "best expected fit": -0.332,
        "best expected short": -0.196,
        "best active": -0.199,
        "top slots": 0.14,
        "top typed": -0.121,
        "least left": 0.575,
        "best slots": 0.13,
        "best typed": -0.035,
        "best left": 0.955,
        "best template": -0.021,
        "top exemplar": -5.885,
        "best exemplar": 1.269,
        "best classified": 0.392,
    },
    {
        "similar": 5.327,
        "terms": 1.482,
        "portrait terms": 6.207,
        "expected": 0.658,
        "expected short": 0.378,
        "expected fit": 0.649,
        "active": 0.351,
        "active short": 0.063,
        "template": 0.266,
        "classified": 0.995,
        "exemplar": 0.592,
    },
    {
        "bias": 1.0,
        "top similar": 8.016,
        "top terms": 1.768,
        "top portrait terms": 5.633,
        "best similar": -2.719,
        "best terms": -3.802,
        "best portrait terms": -0.576,
        "best expected": -0.441,
        "best expected fit": -0.437,
        "best expected short": -0.267,
        "best active": -0.172,
        "best template": -0.128,
        "top exemplar": -3.533,
        "best exemplar": 0.351,
        "best classified": 0.396,
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
    {
        "similar": 0.0,
        "terms": 9.073,
        "portrait terms": 1.357,
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
        "best similar": 0.0,
        "best terms": 1.035,
        "best portrait terms": -5.244,
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
