"""Numbers in English words: "forty five", "two and a half million", "twenty-first"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constrained_du.recognizers.number_edges import FoundNumber, json_number, words_of_negation
from constrained_du.recognizers.numerals import MULTIPLES, Reading, read_english
from constrained_du.recognizers.pronouns import is_pronoun_one, is_unit_second

_SINGLE_PARTS = frozenset("third fourth fifth sixth seventh eighth ninth tenth quarter half".split())
_PART_WORDS = frozenset(word + "s" for word in (*_SINGLE_PARTS - {"half"}, *MULTIPLES)) | {"halves"}
"""Behind a number they make a fraction of it (two thirds) or leave it open (two hundreds)."""
_FOLLOWING = re.compile(r"[ -]([a-z]+)")
_COMPOUNDS = frozenset("way time off on class hand party rate up degree guess nighter stop".split())
_SPLIT = re.compile(r"[a-z]+")


def from_words(folded: str, start: int, end: int) -> Iterator[FoundNumber]:
    """The numbers of one run of number words ("two three hundred": 2 and 300)."""
    places = [(start + m.start(), start + m.end()) for m in _SPLIT.finditer(folded[start:end])]
    words = [folded[a:b] for a, b in places]
    at = 0
    while at < len(words):
        reading = read_english(words, at)
        if reading is None:
            at += 1
            continue
        first, (_, last), said = places[at][0], places[reading.end - 1], words[at : reading.end]
        at = reading.end
        following = _next_word(folded, last)
        if following in _PART_WORDS or (said in (["one"], ["a"]) and following in _SINGLE_PARTS):
            at += 1
        elif said[-1] == "second" and is_unit_second(folded, first, last, len(said)):
            if len(said) > 1:
                yield from _found(folded, first, places[at - 2][1], Reading(reading.value - 2, False, at))
        elif not _is_no_number(folded, first, last, said, following):
            yield from _found(folded, first, last, reading)


def _found(folded: str, first: int, last: int, reading: Reading) -> Iterator[FoundNumber]:
    edge, sign = words_of_negation(folded, first)
    if edge == first and folded[first - 1 : first] == "-" and not folded[first - 2 : first - 1].isalnum():
        edge, sign = first - 1, -1
    number = json_number(reading.value, sign, whole=True)
    if number is not None:
        yield FoundNumber(edge, last, number, "ordinal" if reading.ordinal else "cardinal")


def _next_word(folded: str, end: int) -> str:
    match = _FOLLOWING.match(folded, end)
    return match[1] if match else ""


def _is_no_number(folded: str, first: int, last: int, said: list[str], following: str) -> bool:
    """Whether the words [first, last) only look like a number: one-way, 7-eleven, one of them."""
    if folded[last : last + 1] == "'" or (folded[first - 1 : first] == "-" and folded[first - 2].isalnum()):
        return True
    if folded[last : last + 1] == "-" and following in _COMPOUNDS:
        return True
    return said == ["one"] and is_pronoun_one(folded, first, last)
