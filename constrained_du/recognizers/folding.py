"""Folds a text for comparison, and remembers where each folded character came from.

Folding levels out case, Unicode's ways to write one letter (composed, decomposed, full and
half width, ligatures), runs of blanks, typographic apostrophes and hyphens, and invisible
characters. One original character may fold to several or to none, several to one: offsets
are kept for each, and a match may only begin and end where an original character does.
Knows nothing of values. Offsets are code points of the original text, end exclusive.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_ALIKE = str.maketrans("\u2018\u2019\u02bc\u00b4\u2010\u2011\u2013", "''''---")
_TYPOGRAPHIC = re.compile(f"[{''.join(map(chr, _ALIKE))}]")
_INVISIBLE = frozenset("\u00ad\u200c\u200d\u2060\ufe0e\ufe0f")
_REMOVED = {ord(character): None for character in _INVISIBLE}
_RARE = re.compile(f"[{''.join(sorted(_INVISIBLE))}\u200b\ufeff]")
_BLANKS = frozenset("\u200b\ufeff")
_SMALL_SPACED = str.maketrans(dict.fromkeys(_BLANKS, " "))
_VOICING = frozenset("\uff9e\uff9f")  # half-width katakana's marks, which full width writes into the letter
_DOTTED_I = "i\u0307"  # what İ folds to; nobody types the dot of a small i
_ENGLISH_ENDINGS = frozenset(["s", "t", "d", "m", "re", "ve", "ll"])  # of "it's", "don't", "we'll"


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. Character ``i`` came from the original's ``[starts[i], ends[i])``.

    ``may_start[i]`` and ``may_end[i]`` (for ``i`` up to the length) say where a match may
    begin and end: at whole original characters and never inside a word or a number.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    may_start: Sequence[bool]
    may_end: Sequence[bool]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original offsets of the folded text's ``[start, end)``, which is not empty."""
        return self.starts[start], self.ends[end - 1]


def fold_expression(text: str) -> str:
    """The folded text alone, without blanks around it. Equal to ``fold(text).text`` stripped."""
    if text.isascii():
        return " ".join(text.lower().split())
    plain = text.translate(_REMOVED).translate(_SMALL_SPACED) if _RARE.search(text) else text
    folded = _fold_characters(plain)
    if " " in folded and sum(map(str.isspace, folded)) != sum(map(str.isspace, plain)):
        folded = "".join(characters for _, _, characters in _fold_clusters(text))
    return " ".join(folded.split())


@lru_cache(maxsize=64)
def fold(text: str) -> Folded:
    """The folded text with its offsets; cached, since every recognizer asks for the same utterance."""
    whole: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, characters in _fold_clusters(text):
        whole.append(characters)
        starts.extend([start] * len(characters))
        ends.extend([end] * len(characters))
    folded = "".join(whole)
    may_start, may_end = _borders(folded, starts)
    return Folded(folded, starts, ends, may_start, may_end)


def _fold_clusters(text: str) -> Iterator[tuple[int, int, str]]:
    for start, end in _clusters(text):
        cluster = text[start:end]
        if _is_blank(cluster[0]):
            yield start, end, " "
        else:
            # NFKC writes an accent that stands alone as a blank with the accent on it: no blank was said.
            yield start, end, _fold_characters(cluster.translate(_REMOVED)).replace(" ", "")


def is_unspaced(character: str) -> bool:
    """Whether its script is written without blanks between words."""
    return _class(character) == _UNSPACED


def is_wordlike(character: str) -> bool:
    """Whether it is part of a word or number, in any script."""
    return _class(character) != _OTHER


def _fold_characters(text: str) -> str:
    # Before NFKC, which takes a spacing accent apart, and after it, which makes hyphens of hyphens.
    folded = unicodedata.normalize("NFKC", _alike(text)).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    if _DOTTED_I in folded:
        folded = folded.replace(_DOTTED_I, "i")
    return _alike(folded)


def _alike(text: str) -> str:
    return text.translate(_ALIKE) if _TYPOGRAPHIC.search(text) else text


def _is_blank(character: str) -> bool:
    return character.isspace() or character in _BLANKS


def _clusters(text: str) -> list[tuple[int, int]]:
    """Original characters that fold as one: a letter with its marks, a run of blanks."""
    if text.isascii() and not _TWO_BLANKS.search(text):
        return [(index, index + 1) for index in range(len(text))]
    clusters: list[tuple[int, int]] = []
    blank = False
    for index, character in enumerate(text):
        joins = blank if _is_blank(character) else not blank and _extends(character)
        if joins and clusters:
            clusters[-1] = (clusters[-1][0], index + 1)
        else:
            clusters.append((index, index + 1))
            blank = _is_blank(character)
    return clusters


_TWO_BLANKS = re.compile(r"\s\s")


def _extends(character: str) -> bool:
    if character.isascii():
        return False
    return (
        character in _INVISIBLE
        or character in _VOICING
        or "\u1160" <= character <= "\u11ff"  # vowels and final consonants of decomposed Hangul
        or unicodedata.category(character).startswith("M")
    )


_OTHER, _WORD, _DIGIT, _HANGUL, _UNSPACED = range(5)
_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # 々〆〇
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3100, 0x312F),  # Bopomofo
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_HANGUL_RANGES = ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF))


@lru_cache(maxsize=4096)
def _class(character: str) -> int:
    if not (character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"):
        return _OTHER
    code = ord(character)
    if any(low <= code <= high for low, high in _UNSPACED_RANGES):
        return _UNSPACED
    if any(low <= code <= high for low, high in _HANGUL_RANGES):
        return _HANGUL
    return _DIGIT if character.isdigit() else _WORD


def _borders(text: str, starts: Sequence[int]) -> tuple[list[bool], list[bool]]:
    classes = [_class(character) for character in text]
    size = len(text)
    may_start = [True] * (size + 1)
    may_end = [True] * (size + 1)
    for at in range(1, size):
        whole = starts[at] != starts[at - 1]
        before, after = classes[at - 1], classes[at]
        if not whole or _in_number(text, classes, at):
            may_start[at] = may_end[at] = False
        elif _OTHER not in (before, after) and _UNSPACED not in (before, after):
            may_start[at] = False
            may_end[at] = after == _HANGUL  # particles are written onto the word
        elif text[at - 1] == "'" and _is_english_ending(text, classes, at):
            may_start[at] = False
    return may_start, may_end


def _in_number(text: str, classes: Sequence[int], at: int) -> bool:
    """Whether ``at`` is beside the sign of a decimal, a thousand or a clock time."""
    for sign in (at - 1, at):
        if 0 < sign < len(text) - 1 and text[sign] in ".,:":
            return classes[sign - 1] == classes[sign + 1] == _DIGIT
    return False


def _is_english_ending(text: str, classes: Sequence[int], at: int) -> bool:
    if at < 2 or classes[at - 2] != _WORD:
        return False
    end = at
    while end < len(text) and classes[end] == _WORD and end - at < 3:
        end += 1
    return text[at:end] in _ENGLISH_ENDINGS
