"""How likely an answer is right, by its grounds (benchmarks/tuning/confidence.py)."""

from __future__ import annotations

CONFIDENCE_OF_CALLS: dict[str, float] = {
    "bias": -0.392,
    "doubt": -0.097,
    "exemplar": 2.0,
    "expected": -0.034,
    "few": 0.565,
    "function": 0.714,
    "left": -1.442,
    "many": 0.266,
    "missing": -0.127,
    "open exemplar": -3.122,
    "rival": 0.526,
    "shown": 0.763,
    "slots": 0.219,
    "typed": -0.222,
    "verbatim": -0.289,
    "weak": 0.153,
    "words": -0.168,
}
CONFIDENCE_OF_REFUSALS: dict[str, float] = {
    "bias": -2.654,
    "function": 0.724,
    "rival": -1.28,
    "shown": -1.499,
    "words": 1.131,
}
"""Log odds that the best answer is right, by its grounds (``Answering``)."""
