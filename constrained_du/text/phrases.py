"""Where phrases begin in scripts that are written without spaces.

BudouX (a small model of where lines may break) reads Japanese, jieba's dictionary of words Chinese; changes of
script say the rest. Knows texts and offsets only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import budoux

Script = Literal["kanji", "katakana", "hiragana", "other"]
_KANA = re.compile("[\u3041-\u30ff]")
_RUN = re.compile("[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def is_japanese(text: str) -> bool:
    """Whether there are kana in a text."""
    return _KANA.search(text) is not None


@lru_cache(maxsize=1)
def _japanese() -> budoux.Parser:
    return budoux.load_default_japanese_parser()


def _parts(text: str, japanese: bool) -> list[str]:
    """A run of letters cut into phrases, or into the words of the dictionary: a name that is in none falls into its
    letters, and any of them may begin a value."""
    if japanese:
        return _japanese().parse(text)
    import rjieba  # tens of megabytes of words, which only Chinese needs

    return rjieba.cut(text, hmm=False)


def phrase_starts(text: str) -> frozenset[int]:
    """Offsets of code points at which a phrase begins, in the runs of such scripts."""
    japanese = is_japanese(text)
    starts: set[int] = set()
    for run in _RUN.finditer(text):
        at = run.start()
        for part in _parts(run.group(), japanese):
            starts.add(at)
            at += len(part)
    return frozenset(starts)


_NAMES = {"nr": "person", "nrt": "person", "nrfg": "person", "ns": "place", "nt": "place", "nz": "name"}
"""What names jieba's dictionary knows, by its marks of parts of speech."""


@dataclass(frozen=True, slots=True)
class Word:
    """A Chinese word: code points [start, end), and jieba's mark of its part of speech ("n", "ns", "v", …)."""

    start: int
    end: int
    mark: str

    @property
    def name(self) -> str:
        """What it names: "person", "place", "name", or nothing."""
        return _NAMES.get(self.mark, "")


def chinese_words(text: str) -> tuple[Word, ...]:
    """The words of the runs of Chinese; none where there is Japanese, or no such letter."""
    if is_japanese(text) or _RUN.search(text) is None:
        return ()
    import rjieba

    found: list[Word] = []
    for run in _RUN.finditer(text):
        at = run.start()
        for word, mark in rjieba.tag(run.group()):
            found.append(Word(at, at + len(word), mark))
            at += len(word)
    return tuple(found)


def script(letter: str) -> Script:
    if "\u30a1" <= letter <= "\u30fc":
        return "katakana"
    if "\u3041" <= letter <= "\u309f":
        return "hiragana"
    return "kanji" if letter and _RUN.match(letter) else "other"
