"""What a description calls the values that a slot lists: ``light 灯``, "S for small", or all of them in turn.

Knows texts only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from constrained_du.text.words import is_unspaced

LONGEST = 36  # letters of a gloss
_ASPECTS = "着了上好"
_COUNTED = re.compile(r",? +or +|,? +and +|\s*[,，、/]\s*|或者?|または|もしくは|还是")
_SIGNS = (re.compile(r"\s+/\s+"), re.compile(r"\s*[;；]\s*"), re.compile(r"\s*[,，、]\s*(?:or +|and +)?"), _COUNTED)
"""What parts the words for one value from those for the next, the first that gives as many as there are values."""
_ARTICLE = re.compile(r"^(?:an?|the)\s", re.IGNORECASE)


def glosses(description: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Other words for each of the values, as the description has them; none for many."""
    in_turn = _in_turn(description, values)
    return {value: _beside(value, description, values) or in_turn.get(value, ()) for value in values}


def _beside(value: str, description: str, values: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    pattern = rf"(?<![\w-]){re.escape(value)}(?![\w-])\s*[:：=(（为は]?\s*([^，,、；;。.)）(（:：=]+)"
    for match in re.finditer(pattern, description):
        parts = re.split(r"\s+/\s+", match.group(1).strip())  # "S small / M medium"
        gloss = " / ".join(takewhile(lambda part: not any(v in part for v in values), parts))
        if gloss and len(gloss) <= LONGEST:
            found += [part.strip() for part in re.split("[・/]", gloss) if part.strip()]
    return tuple(found)


def _in_turn(description: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What a description counts up in the order of the values, one for each ("how to pay: cash, by card or later"), or
    several words for one ("ill / doctor, dentist / a death in the family")."""
    if len(values) < 2:
        return {}
    for text in re.split(r"[:：(（)）。]|\.\s", description)[::-1]:
        for sign in _SIGNS:
            parts = [part.strip(" .") for part in re.split(sign, text.strip(" .")) if part.strip(" .")]
            if len(parts) == len(values) > (1 if text != description else 2) and _are_glosses(parts, values):
                return {v: own for v, part in zip(values, parts, strict=True) if (own := _alternatives(part, v))}
    return {}


def _are_glosses(parts: Sequence[str], values: Sequence[str]) -> bool:
    """Whether each part may be what its value is called: short enough, and no place where another value is named."""
    named = (
        re.search(rf"(?<!\w){re.escape(value)}(?!\w)", part) and not (value == values[at] and part.isascii())
        for at, part in enumerate(parts) for value in values if value.isascii()
    )
    return all(len(one) <= LONGEST for part in parts for one in _alternatives(part, "")) and not any(named)


def _alternatives(part: str, value: str) -> tuple[str, ...]:
    every = (_ARTICLE.sub("", one.strip()) for one in _COUNTED.split(part))
    return tuple(one for one in every if one and one != value)


def with_aspects(glosses: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """With what else Chinese says for a state: 锁着 is 锁了, 锁上 and 锁好 too, where no other value is called so."""
    known = {gloss for own in glosses.values() for gloss in own}
    return {
        value: (*own, *(
            other for gloss in own if len(gloss) > 1 and gloss[-1] in _ASPECTS and is_unspaced(gloss[-2])
            for mark in _ASPECTS if (other := gloss[:-1] + mark) not in known
        ))
        for value, own in glosses.items()
    }  # fmt: skip
