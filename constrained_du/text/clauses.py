"""Where one utterance may hold several requests: its clauses, and which of them go on with what was said before.

Cuts at words that join requests; whether the pieces really are requests is judged elsewhere. Knows texts only.
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
_GOES_ON = re.compile(
    r"(?:(?:i|we)(?:['’]d| would|['’]ll| will)? (?:also )?(?:need|want|like|prefer) (?:it|them|one|that|this)\b"
    r"|(?:it|that|there|they|this)(?:['’]s|['’]ll|['’]d| is| are| was| should| will| would| must| has| needs?)\b"
    r"|make (?:it|sure)\b)",
    re.IGNORECASE,
)
_FINITE = r"(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could)(?:n['’]t)?\b|won['’]t\b"
_TELLS = re.compile(
    r"(?:(?:so|well|oh|hi|hey|sorry),? )?"
    r"(?:(?:i|we|he|she|they|it|there|somebody|someone|nobody)\b(?:['’](?:m|re|s|ve|ll))?"
    rf"|(?:that|this|the|my|our)(?: [\w'’-]+){{0,5}}?(?:['’]s\b| (?:{_FINITE})))"
    r"(?! (?:(?:would |do |also |really |just )*(?:need|want|like|prefer)|have to|should)\b|['’]d\b)",
    re.IGNORECASE,
)
"""Who or what is spoken of, a thing with its verb; not "I'd like", nor "the lamp off"."""
_MORE = re.compile(
    r"\b(?:any|some)(?:thing|one|where|body) else\b|\b(?:what|who|where) else\b|\b(?:an)?other (?:ones?|options?|choices?)\b"
    r"|\b(?:more|different) (?:ones|options|choices)\b"
    r"|(?:别的|其[他它]的?|另外的)(?:吗|呢|么|了|[？?。！]|$)|还有(?:什么|哪些|别)"
    r"|(?:他|ほか|別)の?(?:に|もの|やつ|候補|選択肢)",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"n['’]?t\b|\b(?:not|no|nothing|never|without)\b|不|(?<!有)没|無|ない", re.IGNORECASE)


def goes_on(clause: str) -> bool:
    """Whether a clause says more of what was asked for before it: "I need it for four people", "it should be cheap"."""
    return _GOES_ON.match(clause) is not None


def tells(clause: str) -> bool:
    """Whether a clause only says why something is asked for: "that run was my husband", "I'll sleep in on Saturday"."""
    return _TELLS.match(clause) is not None


def asks_for_more(text: str) -> bool:
    """Whether others are asked for of what was found before: "what else is there?", 还有别的吗."""
    found = _MORE.search(text)
    return found is not None and _NO_MORE.search(text, 0, found.start()) is None


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
