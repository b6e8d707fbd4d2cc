"""The weights of all evidence: tuned once on the development files (benchmarks/tuning/).

Numbers only, each with what it weighs; no code of judgement.
"""

from __future__ import annotations

from constrained_du.weights.confidence import CONFIDENCE_OF_CALLS, CONFIDENCE_OF_REFUSALS
from constrained_du.weights.functions import (
    BARE,
    BARE_READ,
    BARE_VALUES,
    BY_HAND,
    BY_HAND_FALLBACK,
    OTHER,
    POLES,
    SHOWN,
    FunctionWeights,
)
from constrained_du.weights.slots import EXEMPLAR_CERTAINTY, OPEN_CERTAINTY, SLOT_SHARPNESS, SLOT_WEIGHTS, SLOT_WEIGHTS_READ
from constrained_du.weights.slots_bare import SLOT_WEIGHTS_BARE, SLOT_WEIGHTS_BARE_READ
from constrained_du.weights.slots_other import SLOT_WEIGHTS_OTHER

__all__ = [
    "BARE",
    "BARE_READ",
    "BARE_VALUES",
    "BY_HAND",
    "BY_HAND_FALLBACK",
    "CONFIDENCE_OF_CALLS",
    "CONFIDENCE_OF_REFUSALS",
    "EXEMPLAR_CERTAINTY",
    "OPEN_CERTAINTY",
    "OTHER",
    "POLES",
    "SHOWN",
    "SLOT_SHARPNESS",
    "SLOT_WEIGHTS",
    "SLOT_WEIGHTS_BARE",
    "SLOT_WEIGHTS_BARE_READ",
    "SLOT_WEIGHTS_OTHER",
    "SLOT_WEIGHTS_READ",
    "FunctionWeights",
]
