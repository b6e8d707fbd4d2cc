"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "alone": -0.077,
    "bias": -0.422,
    "doubt": -0.11,
    "exemplar": 2.0,
    "expected": 0.189,
    "few": -0.097,
    "function": 0.467,
    "left": -0.736,
    "longest": -0.49,
    "many": 0.306,
    "meant": -0.052,
    "missing": -0.504,
    "open exemplar": -1.403,
    "replied": 0.0,
    "rival": 0.204,
    "second": 0.0,
    "shown": 0.133,
    "slots": 0.3,
    "typed": 0.209,
    "verbatim": 0.106,
    "weak": 0.133,
    "words": -0.223,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "alone": 1.513,
    "bias": 0.438,
    "exemplar": 2.0,
    "function": -0.137,
    "replied": 0.0,
    "rival": -0.362,
    "second": 0.0,
    "shown": 0.567,
    "words": -1.334,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
