"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "alone": -0.377,
    "bias": -0.081,
    "doubt": -0.129,
    "exemplar": 2.0,
    "expected": -0.075,
    "few": -0.311,
    "function": 0.677,
    "left": -0.72,
    "longest": -0.427,
    "many": 0.387,
    "meant": -0.202,
    "missing": -0.324,
    "open exemplar": -1.188,
    "rival": 0.426,
    "shown": 0.107,
    "slots": 0.228,
    "typed": 0.294,
    "verbatim": 0.048,
    "weak": 0.25,
    "words": -0.302,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "alone": -0.425,
    "bias": -0.973,
    "function": 0.527,
    "rival": -0.887,
    "shown": -0.237,
    "words": -0.448,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
