"""Where one utterance may hold several requests: its clauses.

Cuts at words that join requests; whether the pieces really are requests is judged elsewhere.
"""

from __future__ import annotations

import re

from constrained_du.types import Span

_JOINT = re.compile(
    r"\s*(?:[,;，；、。]\s*(?:and then|and also|and|then|also|plus|after that)\b"
    r"|\b(?:and then|and also|and|then|also|plus|after that)\b"
    r"|[;；。，,、]|[.!?](?=\s)|然后|并且|而且|还有|再(?=[把给帮打关开])|并(?=[把给帮打关开])|それから|そして)\s*",
    re.IGNORECASE,
)


def clauses(text: str) -> tuple[Span, ...]:
    """The pieces between joining words, in order, blanks left out; one if there is no joint."""
    pieces: list[Span] = []
    start = 0
    for match in _JOINT.finditer(text):
        pieces.append(Span(start, match.start()))
        start = match.end()
    pieces.append(Span(start, len(text)))
    trimmed = []
    for piece in pieces:
        inner = text[piece.start : piece.end]
        if inner.strip(" \t\n.,;!?。，！？"):
            lead = len(inner) - len(inner.lstrip())
            trimmed.append(Span(piece.start + lead, piece.start + len(inner.rstrip())))
    return tuple(trimmed)
