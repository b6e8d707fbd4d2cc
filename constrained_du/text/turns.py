"""Slots that are called the same but for their turn, or are the two ends of a range: what is said first is whose.

Knows names of slots only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from constrained_du.text.lexicon import words_of

_TURN = re.compile(r"(first|second|third|fourth|fifth)(?=_)|(?<=[a-z_])(\d)$|^([a-z])$|(?<=_)(one|two|three)$")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_CARDINALS = ("one", "two", "three")
_ENDS = (
    ("from", "to"), ("start", "end"), ("begin", "end"), ("starting", "ending"), ("initial", "final"), ("in", "out"),
    ("departure", "return"), ("pickup", "dropoff"), ("pickup", "return"), ("depart", "arrive"), ("min", "max"),
)  # fmt: skip
"""Words for the beginning and the end of a range."""


def ranks(names: Iterable[str]) -> dict[str, float]:
    """The places (0 to 1) of slots that are called the same but for their turn: "side1" and "side2", "first_name_of" and
    "second_name_of", "a" and "b"."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        match = _TURN.search(name)
        if match is not None:
            turn = str(_ORDINALS.index(match.group(1))) if match.group(1) else match.group()
            turn = str(_CARDINALS.index(turn)) if turn in _CARDINALS else turn
            groups.setdefault(f"{name[: match.start()]}#{name[match.end() :]}", []).append((turn, name))
    found: dict[str, float] = {}
    for group in groups.values():
        for index, (_, name) in enumerate(sorted(group) if len(group) > 1 else ()):
            found[name] = index / (len(group) - 1)
    return found


def ends(names: Iterable[str]) -> dict[str, float]:
    """The places (0 and 1) of slots that are the two ends of a range: "from_date" and "to_date"."""
    known = {words_of(name): name for name in names}
    found: dict[str, float] = {}
    for words, name in known.items():
        for begin, end in _ENDS:
            other = known.get(tuple(end if word == begin else word for word in words))
            if begin in words and other is not None:
                found |= {name: 0.0, other: 1.0}
    return found
