"""Which slots hold times that have passed, by their names and descriptions. Knows specs only."""

from __future__ import annotations

import re

from constrained_du.specs.schema import Member
from constrained_du.text.lexicon import words_of

_PASSED = re.compile(
    r"\b(?:was|were|happened|took place|occurred)\b(?! (?:booked|planned|scheduled|due|supposed|meant|to)\b)", re.IGNORECASE
)
_SINCE = re.compile(
    r"(?:.*_)?since|(?:read|spent|taken|bought|paid|born|happened|occurred|incurred|made|seen|done|logged|woke|noticed)_(?:on|at)"
)


def is_past(slot: Member) -> bool:
    """Whether a slot holds a time that has passed: "day it was taken", ``spent_on``."""
    return _SINCE.fullmatch("_".join(words_of(slot.name))) is not None or _PASSED.search(slot.description) is not None
