"""Addresses as people say them: "14 Birchwood Lane", "12b orchard rise". The house number belongs to the street."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constrained_du.text.lexicon import FUNCTION_WORDS
from constrained_du.types import Span

_STREETS = (
    "street|st|road|rd|lane|ln|avenue|ave|drive|dr|court|ct|close|way|rise|grove|square|sq|boulevard|blvd|terrace|crescent"
    "|gardens|hill|row|mews|parade|quay|highway|hwy|parkway|pkwy|circle|plaza"
)
_ADDRESS = re.compile(
    rf"(?<![\w.:,-])\d{{1,5}}[a-z]?((?:\s+[^\W\d_][\w'’-]*){{1,3}}?)(?:\s+(?:{_STREETS})){{1,2}}\b(?!\s+(?:to|from)\b)",
    re.IGNORECASE,
)
_TIMES = frozenset("minutes minute mins min hours hour days day km miles mile metres pm am people more".split())
_NO_NAMES = FUNCTION_WORDS | _TIMES


def find_addresses(text: str) -> Iterator[Span]:
    """House numbers with their streets: a number, at most three words and what a street is."""
    for match in _ADDRESS.finditer(text):
        if not any(word.casefold() in _NO_NAMES for word in match.group(1).split()):
            yield Span(match.start(), match.end())
