"""Groups of people that are counted up by who they are: "my wife and I", "me, my two cousins and a friend",
"4 adults and 2 children". English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from constrained_du.types import Span

_COUNT = r"\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|some|(?:a )?few|a couple of"
_OWNER = r"my|our|his|her|their|the"
_KIN = (
    r"wife|husband|spouse|partner|fianc[eé]e?|(?:girl|boy)?friend|kid|child|children|son|daughter|baby|parent|mother|mom|mum|father|"
    r"dad|brother|sister|sibling|cousin|aunt|uncle|niece|nephew|"
    r"grand(?:ma|pa|mum|mom|dad|mother|father|parent|son|daughter|child|children|kid)|gran|nan|"
    r"famil(?:y|ies)|(?:co-?|room|class|team|house|flat)(?: ?worker|mate)|colleague|boss|neighbou?r|guest|adult|"
    r"teen(?:ager)?|toddler|infant|senior|other|couple|people|person|[a-z]+-in-law|in-laws"
)
_SELF = r"me|myself|i|us|ourselves|him|himself|her|herself|them|you"
_WORD = r"(?!(?:and|plus|with|or)\b)[a-z]+"
_ITEM = re.compile(
    rf"\b(?:(?:(?:{_OWNER}) )?(?:(?:{_COUNT}) )?(?:{_WORD} )?(?:{_KIN})s?|{_SELF})\b(?!['’])", re.IGNORECASE
)
_RELATIVE = re.compile(rf"(?i:\b(?:my|our|your|his|her|their) (?:{_WORD} )??(?:{_KIN})\b)(?!['’-])(?: [A-Z][a-z]+\b)?")
_NAME = r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*"
_SOMEBODY_NAMED = rf"(?:{_NAME}|(?i:(?:my|our|your|his|her|their) (?:{_WORD} )??(?:{_KIN})s?\b)(?: [A-Z]\w+)?)"
_SEVERAL = rf"{_SOMEBODY_NAMED}(?:(?:, and |, | and | & ){_SOMEBODY_NAMED})*"
_TOLD = re.compile(
    r"(?:(?i:please|can|could|would|you|hey|and)\b,? )*"
    rf"(?:(?i:tell|inform|text|message|notify|warn) {_SEVERAL}|(?i:let) {_SEVERAL} know),? "
    r"(?!(?i:to|about|if|whether|that|when|where|how|why|what|a|an|some|and|on|at|in|for)\b)(?=\w)"
)
_COMMA = re.compile(r"\s?, ?")
_AND = re.compile(r"(?:\s?,)? (?:and|plus|with)(?: also)? | ?& ?", re.IGNORECASE)
_SOMEBODY = re.compile(rf"\b(?:{_KIN})s?\b|\bmyself\b", re.IGNORECASE)


def find_relatives(text: str) -> Iterator[Span]:
    """Where somebody is named by what they are to somebody: "my mum", "his little brother Tom"."""
    yield from (Span(*found.span()) for found in _RELATIVE.finditer(text))


def find_told(text: str) -> int:
    """Where that begins which somebody shall be told: "dinner is ready" of "tell Ann dinner is ready"; -1, if nowhere."""
    found = _TOLD.match(text)
    return -1 if found is None else found.end()


def find_groups(text: str) -> Iterator[Span]:
    """Where two or more are said to belong together, one of them at least by what they are to somebody."""
    items = list(_ITEM.finditer(text))
    start = end = 0  # of the items that are joined so far, and of those up to the last "and"
    for index, item in enumerate(items):
        if index + 1 < len(items):
            between = text[item.end() : items[index + 1].start()]
            if _AND.fullmatch(between):
                end = index + 1
                continue
            if _COMMA.fullmatch(between):
                continue
        span = Span(items[start].start(), items[end].end())
        if end > start and _SOMEBODY.search(text, span.start, span.end):
            yield span
        start = end = index + 1
