"""What a description calls the values that a slot lists: ``light 灯``, "S for small", or all of them in turn.

Knows texts only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from constrained_du.text.words import is_unspaced

LONGEST = 24  # letters of a gloss
_ASPECTS = "着了上好"
_COUNTED = re.compile(r",? +or +|,? +and +|\s*[,，、/]\s*|或者?|または|もしくは|还是")


def glosses(description: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Other words for each of the values, as the description has them; none for many."""
    in_turn = _in_turn(description, values)
    return {value: _beside(value, description, values) or in_turn.get(value, ()) for value in values}


def _beside(value: str, description: str, values: Iterable[str]) -> tuple[str, ...]:
    found: list[str] = []
    pattern = rf"(?<![\w-]){re.escape(value)}(?![\w-])\s*[:：=(（为は]?\s*([^，,、；;。.)）(（:：=]+)"
    for match in re.finditer(pattern, description):
        gloss = match.group(1).strip()
        if gloss and gloss not in values and len(gloss) <= LONGEST and not any(v in gloss for v in values):
            found += [part.strip() for part in re.split("[・/]", gloss) if part.strip()]
    return tuple(found)


def _in_turn(description: str, values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What a description counts up in the order of the values, one for each: "how to pay: cash, by card or later"."""
    if len(values) < 2 or any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", description) for value in values if value.isascii()):
        return {}
    for text in re.split(r"[:：(（)）。;；]|\.\s", description)[::-1]:
        parts = [part.strip() for part in _COUNTED.split(text.strip(" .")) if part.strip()]
        if len(parts) == len(values) > (1 if text != description else 2) and all(len(part) <= LONGEST for part in parts):
            return {v: (part,) for v, part in zip(values, parts, strict=True) if part != v}
    return {}


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
