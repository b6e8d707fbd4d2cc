"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "alone": -0.131,
    "bias": -0.468,
    "doubt": -0.107,
    "exemplar": 2.0,
    "expected": 0.503,
    "few": -0.033,
    "function": 0.364,
    "left": -0.445,
    "longest": -0.622,
    "many": 0.22,
    "meant": 0.008,
    "missing": -0.573,
    "open exemplar": -1.221,
    "replied": 0.0,
    "rival": 0.137,
    "second": 0.0,
    "shown": 0.111,
    "slots": 0.266,
    "typed": 0.294,
    "verbatim": 0.187,
    "weak": 0.151,
    "words": -0.321,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "alone": 1.154,
    "bias": 1.128,
    "exemplar": 2.0,
    "function": -0.04,
    "replied": 0.0,
    "rival": -0.036,
    "second": 0.0,
    "shown": 0.698,
    "words": -1.51,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
