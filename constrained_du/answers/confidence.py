"""How likely an answer is right: a logistic model over what is known of it.

The shares that answers have among each other say which is best; how often the best one is
right depends on more: how many words went into plain strings, how much was left over. Knows
named numbers only; the weights are fitted by ``benchmarks/tuning/confidence.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from constrained_du.weights import CONFIDENCE_OF_CALLS, CONFIDENCE_OF_REFUSALS

LARGEST = 6.0  # log odds of a share that are told apart; beyond, the data have nothing to say
Grounds = Mapping[str, float]


def log_odds(probability: float) -> float:
    """Of a share, held within ± LARGEST."""
    floor = 1.0 / (1.0 + exp(LARGEST))
    held = min(1.0 - floor, max(floor, probability))
    return log(held / (1.0 - held))


def confidence(grounds: Grounds, refuses: bool) -> float:
    """The probability, in (0, 1), that an answer with these grounds is right as a whole."""
    weights = CONFIDENCE_OF_REFUSALS if refuses else CONFIDENCE_OF_CALLS
    score = sum(weight * grounds.get(name, 0.0) for name, weight in weights.items())
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, score))))


def shared(best: float, shares: Sequence[float]) -> list[float]:
    """The confidences of all answers: the best one's is known, the others share the rest as
    they compare, and none is above the best. ``shares`` has the best answer's first."""
    rest = max(1e-9, 1.0 - shares[0])
    return [best, *(min(best, (1.0 - best) * min(1.0, share / rest)) for share in shares[1:])]
