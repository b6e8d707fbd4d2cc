"""Clauses that are no requests: what only says why something is asked for."""

from __future__ import annotations

import pytest

from constrained_du.text.clauses import tells


@pytest.mark.parametrize(
    ("clause", "whether"),
    [
        ("that swim was my brother's", True),
        ("we won't make it tonight", True),
        ("I'll be late", True),
        ("sorry, the meeting was moved", True),
        ("our kettle isn't working", True),
        ("the hall lamp off", False),
        ("my radio on", False),
        ("that one please", False),
        ("I'd like a taxi", False),
        ("we need two more towels", False),
        ("I really want the blue one", False),
        ("turn the lamp off", False),
        ("is my taxi here", False),
    ],
)
def test_a_reason_is_told_from_a_request(clause: str, whether: bool) -> None:
    assert tells(clause) is whether
