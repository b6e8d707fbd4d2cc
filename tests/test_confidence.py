"""Confidence is a probability that grows with what speaks for an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constrained_du.answers.confidence import LARGEST, confidence, log_odds, shared
from constrained_du.weights import CONFIDENCE_OF_CALLS, CONFIDENCE_OF_REFUSALS


@pytest.mark.parametrize(("probability", "expected"), [(0.5, 0.0), (0.0, -LARGEST), (1.0, LARGEST)])
def test_log_odds_stay_within_their_bounds(probability: float, expected: float) -> None:
    assert log_odds(probability) == pytest.approx(expected)


@given(st.dictionaries(st.sampled_from(sorted({*CONFIDENCE_OF_CALLS, *CONFIDENCE_OF_REFUSALS})), st.floats(-100, 100)), st.booleans())
def test_confidence_is_a_probability(grounds: dict[str, float], refuses: bool) -> None:
    assert 0.0 < confidence(grounds, refuses) < 1.0


@pytest.mark.parametrize("name", ["function", "slots"])
def test_a_larger_share_never_lowers_the_confidence_in_a_call(name: str) -> None:
    assert confidence({"bias": 1.0, name: 2.0}, False) > confidence({"bias": 1.0, name: -2.0}, False)


@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_rivals_share_what_the_best_answer_leaves(best: float, weights: list[float]) -> None:
    total = sum(weights) or 1.0
    found = shared(best, [weight / total for weight in weights])
    assert found[0] == best and all(0 <= one <= best for one in found)
    assert sum(found) <= 1 + 1e-6
