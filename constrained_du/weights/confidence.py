"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "bias": -0.355,
    "doubt": -0.09,
    "exemplar": 2.0,
    "expected": -0.04,
    "few": -0.149,
    "function": 0.584,
    "left": -1.306,
    "many": -0.006,
    "missing": -0.604,
    "open exemplar": -3.006,
    "rival": 0.385,
    "shown": 0.472,
    "slots": 0.324,
    "typed": 0.072,
    "verbatim": -0.123,
    "weak": 0.092,
    "words": -0.183,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "bias": -1.216,
    "function": 0.782,
    "rival": -1.069,
    "shown": -0.549,
    "words": -0.738,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
