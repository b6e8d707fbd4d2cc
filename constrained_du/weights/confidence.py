"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "bias": 0.055,
    "doubt": -0.162,
    "exemplar": 2.0,
    "expected": -0.234,
    "few": -0.38,
    "function": 0.601,
    "left": -0.47,
    "many": 0.592,
    "meant": -0.04,
    "missing": -0.33,
    "open exemplar": -1.095,
    "rival": 0.332,
    "shown": -0.071,
    "slots": 0.212,
    "typed": 0.382,
    "verbatim": -0.037,
    "weak": 0.164,
    "words": -0.261,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "bias": -2.018,
    "function": 0.288,
    "rival": -1.441,
    "shown": 1.222,
    "words": -1.437,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
