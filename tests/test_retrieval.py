"""What an utterance is compared by: its words without the names in them."""

from __future__ import annotations

import pytest

from constrained_du.retrieval import frame_of


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
