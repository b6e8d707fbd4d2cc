"""What evidence about functions weighs, and about the fallback beside them (benchmarks/tuning/functions.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BARE_VALUES: dict[str, float] = {
    "expected whole": 3.5, "expected moment": 3.5, "expected kind": 2.0, "active whole": 2.5, "active more": 4.5,
    "talk": 5.0,
}  # fmt: skip
"""An utterance that is nothing but values which fit what was asked, or talked about, or asks for more of it; and how like the
talk a function is.
Set by hand: the data sets have too few of these to fit them."""


POLES: dict[str, float] = {
    "same side": 1.6, "opposite": -7.0, "ends": 1.5, "ended": -4.0, "ends other": -3.5, "only asked": -7.0, "state asked": 2.0,
    "all unsaid": -4.0, "only polite": -7.0, "unasked": -10.0, "only praise": -7.0,
    "short": -2.0,
}  # fmt: skip
"""Opposite actions ("on", "off"); functions that end something, or begin it, where the words say to end it, or that end
something else; commands where the words only ask how things are, forbid them, tell of them or praise; what tells it;
all for one thing, thanks alone, and calls without the number or the listed value that all exemplars have. Set by
hand, large: to do what was not said is worse than to ask again."""

MOST_WORDS = 20  # of an utterance; that there are more says nothing more

BY_HAND = {**BARE_VALUES, **POLES}
BY_HAND_FALLBACK = {"best short": POLES["short"]}
"""What is missing speaks for another function, not for none: "set a timer" is meant."""


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

    def weighs(self, name: str) -> bool:
        """Whether evidence of this name counts, so that the model has to be asked for it."""
        return name in self.of

    def quick(self, features: Mapping[str, float]) -> float:
        """What can be said without the language model."""
        return _weighed(self.of_quick, features) + _weighed(BY_HAND, features)

    def quick_fallback(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of_quick_fallback, features) + _weighed(BY_HAND_FALLBACK, features)

    def score(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of, features) + _weighed(BY_HAND, features)

    def fallback(self, features: Mapping[str, float]) -> float:
        return _weighed(self.of_fallback, features) + _weighed(BY_HAND_FALLBACK, features)

    @staticmethod
    def fallback_features(
        best: Mapping[str, float],
        retrieved: Sequence[Mapping[str, float]],
        allowed: Sequence[int],
        judged: Mapping[int, Mapping[str, float]],
        words: int,
    ) -> dict[str, float]:
        """What speaks for or against that none is meant: how good the best of each kind is, and how
        many ``words`` were said."""
        top = {
            f"top {name}": max((retrieved[i][name] for i in allowed), default=0.0)
            for name in ("similar", "terms", "portrait terms", "exemplar", "radius", "assured")
        }
        lift = max((found["lift"] for found in judged.values()), default=0.0)
        direct = max((found.get("direct", 0.0) for found in judged.values()), default=0.0)
        held = {f"top {name}": max((f.get(name, 0.0) for f in judged.values()), default=0.0) for name in ("slots", "typed")}
        top |= held | {"least left": min((f.get("left", 0.0) for f in judged.values()), default=1.0)}
        own = {f"best {name}": value for name, value in best.items()}
        return {"bias": 1.0, "words": min(MOST_WORDS, words) / 10, "top lift": lift, "top direct": direct, **top, **own}


# The biases of the fallback are lowered after the fit (BARE 0.6, BARE_READ 0.75, SHOWN 0.6, OTHER 0.25): half of what was
# fitted on is to be refused, most of what is said to an assistant is not. ``top assured`` was set by hand.
BARE = FunctionWeights(
    {
        "similar": 14.319,
        "terms": 0.099,
        "portrait terms": 3.194,
        "channel": 0.144,
        "direct": 0.131,
        "unjudged": 0.161,
        "expected": 0.543,
        "expected short": 0.127,
        "expected fit": 0.543,
        "active": 0.543,
        "active short": 0.114,
        "slots": 0.636,
        "typed": 0.02,
        "left": -0.936,
    },
    {
        "bias": 0.918,
        "top similar": 3.952,
        "top terms": 0.905,
        "top portrait terms": 1.302,
        "top lift": 0.141,
        "top direct": 0.146,
        "best similar": 3.763,
        "best terms": -0.864,
        "best portrait terms": -0.37,
        "best lift": -0.042,
        "best direct": 0.021,
        "best channel": 0.063,
        "best expected": -0.232,
        "best expected fit": -0.232,
        "best expected short": -0.073,
        "best active": -0.341,
        "top slots": 0.028,
        "top typed": 0.032,
        "least left": 0.697,
        "best slots": 0.327,
        "best typed": 0.024,
        "best left": 0.867,
    },
    {
        "similar": 17.789,
        "terms": 0.25,
        "portrait terms": 5.792,
        "expected": 0.824,
        "expected short": 0.303,
        "expected fit": 0.824,
        "active": 0.67,
        "active short": 0.174,
    },
    {
        "bias": 1.491,
        "top similar": 7.873,
        "top terms": -0.571,
        "top portrait terms": 7.65,
        "best similar": 4.279,
        "best terms": -1.336,
        "best portrait terms": -3.406,
        "best expected": -0.281,
        "best expected fit": -0.281,
        "best expected short": -0.129,
        "best active": -0.317,
    },
)
"""Where there are few exemplars or no embedder. Features that are not named weigh nothing."""
BARE_READ = FunctionWeights(
    {
        "similar": 18.156,
        "terms": -0.389,
        "portrait terms": 3.528,
        "channel": 0.135,
        "unjudged": 0.374,
        "expected": 0.428,
        "expected short": 0.109,
        "expected fit": 0.428,
        "active": 0.498,
        "active short": 0.035,
        "slots": 0.558,
        "typed": 0.235,
        "left": -0.887,
    },
    {
        "bias": 1.103,
        "words": 0.717,
        "top similar": 7.385,
        "top terms": -4.357,
        "top portrait terms": 5.63,
        "top lift": 0.585,
        "best similar": 3.929,
        "best terms": 1.235,
        "best portrait terms": -2.314,
        "best lift": -0.16,
        "best channel": 0.044,
        "best expected": -0.233,
        "best expected fit": -0.233,
        "best expected short": -0.06,
        "best active": -0.277,
        "top slots": 0.045,
        "top typed": -0.184,
        "least left": 0.421,
        "best slots": 0.257,
        "best typed": -0.133,
        "best left": 0.335,
        "best same side": 0.934,
    },
    {
        "similar": 20.319,
        "terms": -1.731,
        "portrait terms": 7.025,
        "expected": 0.78,
        "expected short": 0.346,
        "expected fit": 0.78,
        "active": 0.665,
        "active short": 0.104,
    },
    {
        "bias": 1.58,
        "words": 0.02,
        "top similar": 12.201,
        "top terms": -5.418,
        "top portrait terms": 11.658,
        "best similar": 2.078,
        "best terms": 0.505,
        "best portrait terms": -5.738,
        "best expected": -0.263,
        "best expected fit": -0.263,
        "best expected short": -0.117,
        "best active": -0.488,
        "best same side": 0.901,
    },
)
"""For a taught model and an embedder: without the direct likelihood, whose tokens are better spent on reading."""
SHOWN = FunctionWeights(
    {
        "similar": 2.759,
        "terms": 2.903,
        "portrait terms": 1.373,
        "channel": 0.198,
        "unjudged": 0.452,
        "expected": 0.641,
        "expected short": 0.088,
        "expected fit": 0.641,
        "active": 0.715,
        "active short": 0.056,
        "slots": 0.506,
        "typed": -0.155,
        "left": -1.121,
        "template": 0.32,
        "classified": 0.88,
        "exemplar": 1.462,
    },
    {
        "bias": 0.049,
        "words": 0.999,
        "top similar": 4.981,
        "top terms": 0.027,
        "top portrait terms": 1.337,
        "top lift": 0.198,
        "best similar": -2.292,
        "best terms": -0.036,
        "best portrait terms": 0.423,
        "best lift": 0.335,
        "best channel": 0.107,
        "best expected": -0.47,
        "best expected fit": -0.47,
        "best expected short": -0.071,
        "best active": -0.516,
        "top slots": -0.017,
        "top typed": -0.166,
        "least left": 0.333,
        "best slots": 0.207,
        "best typed": -0.152,
        "best left": 0.411,
        "best template": -0.271,
        "best same side": 0.72,
        "best only asked": 0.003,
        "top exemplar": -6.404,
        "best exemplar": 2.958,
        "best classified": 0.395,
        "best radius": -0.019,
        "best margin": -0.531,
        "top radius": -0.415,
        "top assured": -0.4,
    },
    {
        "similar": 3.471,
        "terms": 4.041,
        "portrait terms": 3.727,
        "expected": 0.945,
        "expected fit": 0.945,
        "active": 0.777,
        "template": 0.613,
        "classified": 0.949,
        "exemplar": 1.506,
    },
    {
        "bias": 0.497,
        "words": 0.433,
        "top similar": 6.651,
        "top terms": 0.154,
        "top portrait terms": 4.729,
        "best similar": -2.43,
        "best terms": -1.501,
        "best portrait terms": 0.023,
        "best expected": -0.596,
        "best expected fit": -0.596,
        "best expected short": -0.115,
        "best active": -0.484,
        "best template": -0.472,
        "best same side": 0.449,
        "best only asked": 0.005,
        "top exemplar": -5.848,
        "best exemplar": 2.484,
        "best classified": 0.493,
        "best radius": -0.21,
        "best margin": -0.487,
        "top radius": -0.119,
        "top assured": -0.4,
    },
)
"""Where exemplars carry a classifier; the direct likelihood gave nothing beside it."""
OTHER = FunctionWeights(
    {
        "similar": -3.48,
        "terms": 13.581,
        "portrait terms": 7.283,
        "channel": 0.3,
        "direct": 0.103,
        "unjudged": 0.997,
        "slots": 0.69,
        "typed": -0.244,
        "left": -0.313,
        "template": 0.314,
    },
    {
        "bias": 0.745,
        "words": 0.934,
        "top similar": -1.786,
        "top terms": -1.619,
        "top portrait terms": 6.204,
        "top lift": 0.62,
        "top direct": 0.089,
        "best similar": -1.026,
        "best terms": 7.059,
        "best portrait terms": 1.715,
        "best lift": -0.076,
        "best direct": 0.011,
        "best channel": 0.135,
        "top slots": 0.193,
        "top typed": -0.196,
        "least left": 0.143,
        "best slots": 0.274,
        "best typed": 0.019,
        "best left": 0.666,
        "best template": -0.168,
        "best same side": 0.869,
        "best opposite": 0.068,
    },
    {
        "similar": -2.85,
        "terms": 15.258,
        "portrait terms": 7.026,
        "template": 1.341,
    },
    {
        "bias": 2.639,
        "words": 0.261,
        "top similar": -7.46,
        "top terms": 0.751,
        "top portrait terms": 10.49,
        "best similar": 4.703,
        "best terms": 1.304,
        "best portrait terms": -1.003,
        "best template": -0.843,
        "best same side": 0.555,
        "best opposite": 0.099,
    },
)
"""For scripts without spaces, which the embedder does not read: terms and the model carry it. Fitted on the public sets and
the everyday domains (where no language model was asked: on the public sets alone)."""
