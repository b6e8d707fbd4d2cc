"""What an utterance is compared by: its words without the names in them, and how near is near."""

from __future__ import annotations

import numpy as np
import pytest

from constrained_du.functions.retrieval import Retrieval, frame_of
from constrained_du.text.terms import TermIndex


@pytest.mark.parametrize(
    ("utterance", "frame"),
    [
        ("put Nina Brown on the speaker", "put on the speaker"),
        ("is The Lord of the Flies any good", "is any good"),
        ("I'd like Paris. Tell me more", "I'd like . Tell me more"),
        ("Where is it", "Where is it"),
        ("PLAY SOME MUSIC", "PLAY SOME MUSIC"),
        ("wake me at seven", "wake me at seven"),
        ("", ""),
    ],
)
def test_names_are_left_out_where_enough_is_left(utterance: str, frame: str) -> None:
    assert frame_of(utterance) == frame


def at(degrees: float) -> list[float]:
    return [float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))]


def fitted(*exemplars: tuple[int, float]) -> Retrieval:
    """Two functions, and exemplars of them at angles."""
    vectors = np.array([at(0), at(90), *(at(degrees) for _, degrees in exemplars)], np.float32)
    owners = np.array([0, 1, *(owner for owner, _ in exemplars)])
    return Retrieval.from_vectors(TermIndex.fit(["a", "b"], [0, 1], 2), vectors, owners, 2)


def test_the_same_distance_is_far_where_exemplars_are_close_and_near_where_they_are_not() -> None:
    index = fitted((0, 0), (0, 1), (0, 2), (0, 3), (1, 60), (1, 85), (1, 110), (1, 135))
    beside_close = index.resemblance("", np.array(at(-15), np.float32)).radius[0]
    beside_wide = index.resemblance("", np.array(at(150), np.float32)).radius[1]
    assert beside_close < 0 < beside_wide, "both are 15 degrees from the nearest exemplar"
    assert index.resemblance("", np.array(at(1.5), np.float32)).radius[0] > 0


def test_between_two_functions_there_is_no_margin() -> None:
    index = fitted((0, 0), (0, 5), (1, 85), (1, 90))
    inside, between = (index.resemblance("", np.array(at(degrees), np.float32)).margin[0] for degrees in (2, 45))
    assert between < 0 and between < inside - 1


@pytest.mark.parametrize("exemplars", [(), ((0, 0), (1, 90)), ((0, 0), (0, 5), (1, 90))])
def test_too_few_exemplars_have_no_radius(exemplars: tuple[tuple[int, float], ...]) -> None:
    index = fitted(*exemplars)
    found = index.resemblance("", np.array(at(30), np.float32))
    assert index.radii is None and index.held_out is None
    assert not found.radius.any() and not found.margin.any() and not found.assured.any()


def test_the_classifier_is_as_sure_of_what_is_like_its_exemplars_as_of_those_it_never_saw() -> None:
    index = fitted(*((owner, 90 * owner + degrees) for owner in (0, 1) for degrees in range(-10, 10, 2)))
    like, between = (float(index.resemblance("", np.array(at(degrees), np.float32)).assured.max()) for degrees in (1, 45))
    assert abs(like) < 2.0 and between < like - 3.0
