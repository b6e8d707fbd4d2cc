"""Countries and states by their names: which of several slots for places a name belongs to.

Closed lists (``region_names.json``); knows texts only. Cities are too many to list, and share their names.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import lru_cache
from importlib.resources import files

LONGEST_NAME = 8  # words, or letters of scripts without spaces
Regions = frozenset[str]
"""Of ``country``, ``state`` and ``city``: what a name may be."""
_WORDS = {
    "country": frozenset("country nation 国 国家 国名".split()),
    "state": frozenset("state province 州 省 州名".split()),
    "city": frozenset("city town municipality 市 城市 都市 町".split()),
}


@lru_cache(maxsize=1)
def _names() -> dict[str, frozenset[str]]:
    found = json.loads(files("constrained_du.text").joinpath("region_names.json").read_text(encoding="utf-8"))
    lists = {"country": found["countries"], "state": found["states"], "city": found["cities too"]}
    named = {kind: frozenset(map(str.casefold, names)) for kind, names in lists.items()}
    return named | {"codes": frozenset(found["codes"])}


def regions(text: str, shouted: bool = False) -> Regions:
    """What a text may be the name of; none, if it is in no list. ``shouted``: whether all is said in capitals, so that
    two of them are no sign of a code."""
    named = _names()
    found = {kind for kind in ("country", "state", "city") if text.casefold() in named[kind]}
    if text in named["codes"] and not shouted:
        found.add("state")
    return frozenset(found)


def wanted(words: Collection[str]) -> Regions:
    """What a slot waits for whose name has these words."""
    return frozenset(kind for kind, signs in _WORDS.items() if signs & set(words))
