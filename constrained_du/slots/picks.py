"""Picks from a list: "the second one", "the last", 第二个, 二番目の.

The place in a list that an utterance names, and which of the candidates that a caller lists
it points at. Knows words and choices; nothing of functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from constrained_du.grammar.grammar import Choice
from constrained_du.recognizers.numbers import find_numbers
from constrained_du.text.terms import normalised
from constrained_du.text.words import atoms
from constrained_du.types import Span

MOST_WORDS = 12  # or letters, in scripts without spaces, of "the second one, please"
_FROM_END = re.compile(
    r"\b(?:(?P<word>second|third|next)[ -]to[ -](?:the[ -])?last|last but one|penultimate)\b"
    r"|倒数第(?P<zh>[一二三四五123456789])|後ろから(?P<ja>[一二三四五123456789])(?:番目|つ目|個目)"
)
_LAST = re.compile(r"\b(?:last|latter|bottom|final)\b|最后|最末|后者|最下面|最底下|最後|一番下|後者|一番後ろ")
_FIRST = re.compile(r"\b(?:former|top)\b|前者|头一|最上面|第一|最初|一番上|一番目|一つ目|ひとつ目")
_COUNTERS = re.compile(r"(?P<number>[一二三四五六七八九十]|\d{1,2})(?:つ目|個目|番目|番の)")
_NUMBERED = re.compile(r"\b(?:number|option|no\.?|choice|item)\s*$|#\s*$|(?:选项|選択肢)\s*$")
_DIGITS = "一二三四五六七八九十"


@lru_cache(maxsize=64)
def ordinal(text: str) -> tuple[int, Span] | None:
    """The place in a list that a text names, from 1; from the end as −1, −2 …; and where it says so."""
    plain = normalised(text)
    if len(plain) != len(text):
        plain = text.casefold() if len(text.casefold()) == len(text) else text
    if (match := _FROM_END.search(plain)) is not None:
        return -_from_end(match), Span(*match.span())
    if (match := _LAST.search(plain)) is not None:
        return -1, Span(*match.span())
    if (match := _COUNTERS.search(plain)) is not None:
        return _digit(match["number"]), Span(*match.span())
    return _counted(text, plain) or (None if (match := _FIRST.search(plain)) is None else (1, Span(*match.span())))


def _from_end(match: re.Match[str]) -> int:
    said = match["zh"] or match["ja"]
    return _digit(said) if said else 3 if match["word"] == "third" else 2


def _digit(text: str) -> int:
    return int(text) if text.isdigit() else _DIGITS.index(text) + 1


def _counted(text: str, plain: str) -> tuple[int, Span] | None:
    """An ordinal, a numbered option, or a number that is all that was said."""
    alone = sum(atom.may_border for atom in atoms(text)) == 1
    for number in find_numbers(text):
        is_place = number.kind == "ordinal" or alone or _NUMBERED.search(plain[: number.start])
        if is_place and isinstance(number.value, int) and number.value >= 1:
            return number.value, Span(number.start, number.end)
    return None


def is_pick(text: str) -> bool:
    """Whether a place in a list is about all that was said."""
    return ordinal(text) is not None and sum(atom.may_border for atom in atoms(text)) <= MOST_WORDS


def is_bare_number(text: str) -> bool:
    """Whether a number, and no ordinal, is all that was said: an amount sooner than a place in a list."""
    alone = sum(atom.may_border for atom in atoms(text)) == 1
    return alone and any(number.kind != "ordinal" for number in find_numbers(text))


def is_list(choices: Sequence[Choice], text: str) -> bool:
    """Whether a caller's candidates are a list to pick from: all stand for the whole utterance."""
    if not choices or any(choice.source != "entity" or choice.span is None for choice in choices):
        return False
    spans = {choice.span for choice in choices}
    (span, *others) = sorted(span for span in spans if span is not None)
    whole = text[span.start : span.end].strip() == text.strip()
    return not others and whole and all(choice.value != text[span.start : span.end] for choice in choices)


def picked(choices: Sequence[Choice], text: str) -> Choice | None:
    """The one of a list that a text points at: by its name, or by its place."""
    named = [choice for choice in choices if _is_named(str(choice.value), text)]
    if len(named) == 1:
        return named[0]
    found = ordinal(text)
    if found is None or not 0 < abs(found[0]) <= len(choices):
        return None
    return choices[found[0] - 1 if found[0] > 0 else found[0]]


def _is_named(value: str, text: str) -> bool:
    """Whether the value, or a word of it that is no small one, stands in the text."""
    said = {normalised(atom.text) for atom in atoms(text) if atom.kind in ("word", "number")}
    words = [normalised(atom.text) for atom in atoms(value) if atom.kind in ("word", "number")]
    return normalised(value) in normalised(text) or any(word in said for word in words if len(word) > 3)
