"""How one place lies to another: "close by", "in the same area", "within walking distance", "neighboring". English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constrained_du.types import Span

_RELATION = re.compile(
    r"\b(?:(?:with)?in (?:the|this) (?:same |immediate )?(?:area|neighbou?rhood|vicinity|region)"
    r"|within (?:a )?(?:(?:short )?(?:walk|drive|walking distance|driving distance)|\d+ (?:miles?|kilomet(?:er|re)s?|km|blocks?))"
    r"|(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) (?:miles?|kilomet(?:er|re)s?|blocks?|minutes?) (?:away|from)"
    r"|(?:not )?(?:too )?far (?:away|from)|next (?:door )?to|close (?:by|to)|near ?by|neighbou?ring|adjacent(?: to)?"
    r"|closest|nearest|close|near|surrounding|around here)\b",
    re.IGNORECASE,
)


def find_relations(text: str) -> Iterator[Span]:
    """Where such words stand, the longest at each place."""
    for match in _RELATION.finditer(text):
        yield Span(match.start(), match.end())
