"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "alone": -0.901,
    "bias": 0.079,
    "doubt": -0.157,
    "exemplar": 2.0,
    "expected": -0.107,
    "few": -0.258,
    "function": 0.565,
    "left": -0.537,
    "many": 0.697,
    "meant": -0.131,
    "missing": -0.485,
    "open exemplar": -1.085,
    "rival": 0.321,
    "shown": 0.149,
    "slots": 0.213,
    "typed": 0.28,
    "verbatim": -0.029,
    "weak": 0.155,
    "words": -0.41,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "alone": 2.08,
    "bias": -1.455,
    "function": 0.267,
    "rival": -1.181,
    "shown": 0.897,
    "words": -1.279,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
