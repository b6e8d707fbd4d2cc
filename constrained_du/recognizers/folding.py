"""Folds text to one spelling per character, so that one grammar reads every script's digits and dashes.

Knows nothing of numbers or times. The fold keeps the length: offset i of the folded
text is offset i of the utterance.
"""

from __future__ import annotations

import re
import unicodedata

_SAME_AS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "－": "-", "﹣": "-",
    "〜": "~", "～": "~", "∼": "~",
    "’": "'", "‘": "'", "＇": "'", "´": "'", "\u00a0": " ", "\u3000": " ", "\u202f": " ", "\u2009": " ",
    "∶": ":", "﹕": ":", "٫": ".", "٬": ",",
}  # fmt: skip
_KEPT = frozenset("，")  # a Chinese comma parts a list; only among full-width digits does it group thousands
_WIDE_GROUPING = re.compile(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")


class _FoldTable(dict[int, str]):
    """Code point -> folded character, worked out when first met."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        self[code] = folded
        return folded


def _fold_character(character: str) -> str:
    if character in _SAME_AS:
        return _SAME_AS[character]
    if character in _KEPT:
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(int(digit))
    if "！" <= character <= "～":
        character = chr(ord(character) - 0xFEE0)
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


_TABLE = _FoldTable()


def fold(text: str) -> str:
    """Lower case, ASCII digits, one dash, one blank; as long as ``text``, character for character."""
    if text.isascii():
        return text.lower()
    return _WIDE_GROUPING.sub(",", text).translate(_TABLE)
