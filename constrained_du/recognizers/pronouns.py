"""Tells the English words "one" and "second" that are numbers from those that are not.

"the red one" points at a thing and "a second" is a stretch of time: reading them as
1 and 2nd would put into a call what the user has not said.
"""

from __future__ import annotations

import re

from constrained_du.recognizers.numerals import ORDINAL_WORDS

_LOOK_BACK = 60
"""Code points looked at on either side: four words, so that long utterances cost no more."""

_WORDS = re.compile(r"[a-z']+|[^\sa-z']")
_DETERMINERS = frozenset(
    ("a an the this that these those which any every each no another some other my your his her our their").split()
)
_FUNCTION_WORDS = frozenset(
    (
        "to at for from in on of by with and or is are was be than equals plus minus times set make "
        "i you we it want need take give me us book turn , . ; : ! ? not"
    ).split()
)
_LABELS = frozenset(
    (
        "number channel level room floor gate platform zone line bus stage step option version "
        "volume track season episode chapter page table size exactly only just"
    ).split()
)
_POINTS_AFTER = frozenset("of another who that which i you we".split())
_ENDS_AFTER = _FUNCTION_WORDS | frozenset("please instead thanks there here now then will should can".split())
_ORDINALS = ORDINAL_WORDS | {"st", "nd", "rd", "th"}
_NUMBER_NOUNS = re.compile(r" (?:percent|hundred|thousand|million|billion|point|dozen)(?![a-z])")


def _words_before(folded: str, start: int) -> list[str]:
    return _WORDS.findall(folded[max(0, start - _LOOK_BACK) : start])[-4:]


def _word_after(folded: str, end: int) -> str:
    match = _WORDS.search(folded, end, end + _LOOK_BACK)
    return match[0] if match else ""


def _follows_determiner(before: list[str]) -> bool:
    """Whether "one" closes a phrase such as "the (big) red": a determiner, then no function word."""
    for word in reversed(before):
        if word in _DETERMINERS:
            return True
        if word in _FUNCTION_WORDS:
            return False
    return False


def is_pronoun_one(folded: str, start: int, end: int) -> bool:
    """Whether the word "one" at [start, end) is a pronoun: "no one", "the second one", "one of them"."""
    if _NUMBER_NOUNS.match(folded, end):
        return False
    after = _word_after(folded, end)
    if after in _POINTS_AFTER:
        return True
    before = _words_before(folded, start)
    if not before or before[-1] in _LABELS:
        return False
    if before[-1] in _DETERMINERS or before[-1] in _ORDINALS:
        return True
    return (after == "" or after in _ENDS_AFTER or not after.isalpha()) and _follows_determiner(before)


def is_unit_second(folded: str, start: int, end: int, words: int) -> bool:
    """Whether "second" at the end of [start, end) is the sixtieth of a minute.

    ``words``: how many words were read; with more than one ("twenty second") it is.
    """
    before = _words_before(folded, start)
    last = before[-1] if before else ""
    if folded[start - 1 : start] == "/":
        return True
    if words > 1:
        return last != "the" and "-" not in folded[start:end]
    return last in ("a", "an", "per", "every", "each", "one", "half", "split", "just") or last.isdigit()
