"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "bias": 0.333,
    "doubt": -0.108,
    "exemplar": 2.0,
    "expected": 0.015,
    "few": -0.304,
    "function": 0.482,
    "left": -0.398,
    "many": -0.198,
    "meant": -0.209,
    "missing": -0.327,
    "open exemplar": -2.428,
    "rival": 0.236,
    "shown": 0.623,
    "slots": 0.253,
    "typed": 0.191,
    "verbatim": -0.165,
    "weak": -0.049,
    "words": -0.381,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "bias": -0.518,
    "function": 1.017,
    "rival": -0.76,
    "shown": -0.38,
    "words": -0.839,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
