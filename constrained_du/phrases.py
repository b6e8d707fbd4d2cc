"""Where phrases begin in scripts that are written without spaces.

BudouX (a small model of where lines may break) reads Japanese and Chinese; changes of script
say the rest. Knows texts and offsets only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import budoux

Script = Literal["kanji", "katakana", "hiragana", "other"]
_KANA = re.compile("[\u3041-\u30ff]")
_RUN = re.compile("[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


@lru_cache(maxsize=2)
def _parser(japanese: bool) -> budoux.Parser:
    return budoux.load_default_japanese_parser() if japanese else budoux.load_default_simplified_chinese_parser()


def phrase_starts(text: str) -> frozenset[int]:
    """Offsets of code points at which a phrase begins, in the runs of such scripts."""
    japanese = bool(_KANA.search(text))
    starts: set[int] = set()
    for run in _RUN.finditer(text):
        at = run.start()
        for phrase in _parser(japanese).parse(run.group()):
            starts.add(at)
            at += len(phrase)
    return frozenset(starts)


def script(letter: str) -> Script:
    if "\u30a1" <= letter <= "\u30fc":
        return "katakana"
    if "\u3041" <= letter <= "\u309f":
        return "hiragana"
    return "kanji" if letter and _RUN.match(letter) else "other"
