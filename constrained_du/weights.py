"""The weights of all evidence: tuned once on the development files (benchmarks/tuning.py).

Numbers only, each with what it weighs; no code of judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLOT_WEIGHTS: dict[str, float] = {
    "after determiner": 0.651,
    "after preposition": 0.405,
    "at end": 0.138,
    "before function word": 0.096,
    "best role": 0.186,
    "boolean": 2.418,
    "context": 0.471,
    "context both": 0.633,
    "covers": 0.557,
    "cue": 0.902,
    "cut foreign": -2.0,
    "cut left": 0.216,
    "cut name": -1.42,
    "cut name across": -1.061,
    "cut right": -0.105,
    "cut script": -0.778,
    "described": 0.894,
    "described alone": 0.784,
    "determiner first": -0.163,
    "edges": -0.631,
    "empty": 0.604,
    "expected": 2.699,
    "expected kind": -0.587,
    "expected whole": 0.193,
    "explained": -1.872,
    "explained all": 0.77,
    "fuzzy": -1.0,
    "kind missing": -0.186,
    "kind name": 1.329,
    "kind other": 0.274,
    "kind same": 1.564,
    "kind unwanted": -0.798,
    "long": -0.081,
    "mention": 3.43,
    "mention cue": 0.403,
    "mention named": 1.672,
    "moment missing": -1.039,
    "moment part": -1.8,
    "name": 0.213,
    "name part": 1.97,
    "named": 0.601,
    "named whole": 1.238,
    "nested": -2.0,
    "no context": -0.288,
    "no template": 0.249,
    "one letter": -0.107,
    "phrase end": -0.408,
    "phrase start": 0.511,
    "preposition inside": 0.008,
    "pronoun": -1.283,
    "punctuation inside": -0.125,
    "recurs": 1.239,
    "recurs elsewhere": -0.922,
    "recurs not": -1.466,
    "required": -1.401,
    "role": 0.34,
    "shaped": 0.08,
    "share": 0.659,
    "some": 0.207,
    "source entity": 0.884,
    "source enum": -1.652,
    "source number": 0.405,
    "source recognizer": 1.2,
    "source time": 1.2,
    "source verbatim": -2.488,
    "splits kind": -0.18,
    "template": 0.42,
    "template share": 0.408,
    "two or more": -0.064,
    "unmentioned": -1.311,
    "unshown": 0.34,
    "unspaced": -0.186,
    "verb inside": -1.273,
    "whole": -0.447,
}


BARE_VALUES: dict[str, float] = {"expected whole": 3.5, "active whole": 2.5}
"""An utterance that is nothing but values which fit what was asked, or talked about. Set by
hand on the bundled domains: the data sets have too few of these to fit them."""


POLES: dict[str, float] = {"same side": 0.8, "opposite": -5.0}
"""Opposite actions ("on", "off"). Set by hand, large: to do the opposite is worse than to ask again."""

BY_HAND = {**BARE_VALUES, **POLES}


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
        return _weighed(self.of_quick, features) + _weighed(BY_HAND, features)

    def quick_fallback(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of_quick_fallback, features)

    def score(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of, features) + _weighed(BY_HAND, features)

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
        "similar": 15.716,
        "terms": -0.314,
        "portrait terms": 3.429,
        "channel": 0.132,
        "direct": 0.129,
        "unjudged": 0.243,
        "expected": 0.451,
        "expected short": 0.119,
        "expected fit": 0.451,
        "active": 0.407,
        "active short": 0.068,
        "slots": 0.618,
        "typed": 0.053,
        "left": -1.135,
        "template": 0.0,
    },
    {
        "bias": 0.996,
        "top similar": 4.967,
        "top terms": 0.273,
        "top portrait terms": 2.151,
        "top lift": 0.295,
        "top direct": 0.15,
        "best similar": 3.872,
        "best terms": -0.992,
        "best portrait terms": -0.514,
        "best lift": 0.008,
        "best direct": 0.012,
        "best channel": 0.028,
        "best expected": -0.216,
        "best expected fit": -0.216,
        "best expected short": -0.066,
        "best active": -0.256,
        "top slots": 0.077,
        "top typed": -0.028,
        "least left": 0.615,
        "best slots": 0.186,
        "best typed": -0.03,
        "best left": 0.736,
        "best template": 0.0,
    },
    {
        "similar": 18.927,
        "terms": -0.459,
        "portrait terms": 6.535,
        "expected": 0.711,
        "expected short": 0.322,
        "expected fit": 0.711,
        "active": 0.556,
        "active short": 0.144,
        "template": 0.0,
    },
    {
        "bias": 1.419,
        "top similar": 9.344,
        "top terms": -1.304,
        "top portrait terms": 7.961,
        "best similar": 5.006,
        "best terms": -1.752,
        "best portrait terms": -4.007,
        "best expected": -0.217,
        "best expected fit": -0.217,
        "best expected short": -0.102,
        "best active": -0.264,
        "best template": 0.0,
    },
)
"""Where there are few exemplars or no embedder."""
SHOWN = FunctionWeights(
    {
        "similar": 4.207,
        "terms": 1.46,
        "portrait terms": 3.139,
        "channel": 0.111,
        "direct": 0.1,
        "unjudged": 0.286,
        "expected": 0.504,
        "expected short": 0.269,
        "expected fit": 0.415,
        "active": 0.384,
        "active short": 0.109,
        "slots": 0.484,
        "typed": -0.062,
        "left": -1.07,
        "template": 0.127,
        "classified": 0.85,
        "exemplar": 0.202,
    },
    {
        "bias": 0.987,
        "top similar": 4.916,
        "top terms": 2.808,
        "top portrait terms": 2.286,
        "top lift": 0.169,
        "top direct": 0.172,
        "best similar": -1.847,
        "best terms": -2.739,
        "best portrait terms": 0.556,
        "best lift": 0.062,
        "best direct": -0.074,
        "best channel": 0.059,
        "best expected": -0.383,
        "best expected fit": -0.302,
        "best expected short": -0.244,
        "best active": -0.238,
        "top slots": 0.15,
        "top typed": -0.111,
        "least left": 0.521,
        "best slots": 0.107,
        "best typed": -0.079,
        "best left": 0.654,
        "best template": -0.065,
        "top exemplar": -4.647,
        "best exemplar": 0.525,
        "best classified": 0.376,
    },
    {
        "similar": 6.11,
        "terms": 3.023,
        "portrait terms": 5.28,
        "expected": 0.65,
        "expected short": 0.368,
        "expected fit": 0.617,
        "active": 0.365,
        "active short": 0.078,
        "template": 0.22,
        "classified": 0.906,
        "exemplar": 0.665,
    },
    {
        "bias": 1.335,
        "top similar": 8.552,
        "top terms": 2.754,
        "top portrait terms": 5.261,
        "best similar": -2.421,
        "best terms": -4.065,
        "best portrait terms": 0.005,
        "best expected": -0.426,
        "best expected fit": -0.402,
        "best expected short": -0.263,
        "best active": -0.173,
        "best template": -0.127,
        "top exemplar": -3.104,
        "best exemplar": -0.24,
        "best classified": 0.412,
    },
)
"""Where exemplars carry a classifier."""
OTHER = FunctionWeights(
    {
        "similar": 2.193,
        "terms": 12.031,
        "portrait terms": 5.478,
        "channel": -0.022,
        "direct": 0.103,
        "unjudged": -0.095,
        "expected": 0.504,
        "expected short": 0.269,
        "expected fit": 0.415,
        "active": 0.384,
        "active short": 0.109,
        "slots": 0.636,
        "typed": 1.015,
        "left": -0.274,
        "template": 0.666,
    },
    {
        "bias": 0.73,
        "top similar": -2.104,
        "top terms": 3.52,
        "top portrait terms": 8.603,
        "top lift": 0.366,
        "top direct": -0.049,
        "best similar": 6.62,
        "best terms": -3.414,
        "best portrait terms": -0.947,
        "best lift": 0.113,
        "best direct": 0.121,
        "best channel": -0.032,
        "best expected": -0.383,
        "best expected fit": -0.302,
        "best expected short": -0.244,
        "best active": -0.238,
        "top slots": 0.364,
        "top typed": -0.646,
        "least left": -0.016,
        "best slots": 0.128,
        "best typed": -0.54,
        "best left": 0.208,
        "best template": -0.216,
    },
    {
        "similar": -0.112,
        "terms": 12.675,
        "portrait terms": 5.565,
        "expected": 0.65,
        "expected short": 0.368,
        "expected fit": 0.617,
        "active": 0.365,
        "active short": 0.078,
        "template": 0.632,
    },
    {
        "bias": 0.921,
        "top similar": -2.425,
        "top terms": 4.905,
        "top portrait terms": 9.321,
        "best similar": 5.376,
        "best terms": -4.957,
        "best portrait terms": -0.925,
        "best expected": -0.426,
        "best expected fit": -0.402,
        "best expected short": -0.263,
        "best active": -0.173,
        "best template": -0.264,
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
