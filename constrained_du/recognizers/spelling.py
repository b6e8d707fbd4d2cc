"""Evens out a text's spelling character for character: one digit, one dash, one blank for all scripts.

Unlike ``folding`` it keeps the length: offset i of the result is offset i of the utterance.
Knows nothing of numbers or times.
"""

from __future__ import annotations

import re
import unicodedata

_ALIKE = {
    "-": "\u2212\u2013\u2014\u2010\u2011\u2012\ufe63",
    "~": "\u301c\u223c",
    "'": "\u2019\u2018\u00b4",
    " ": "\u00a0\u3000\u202f\u2009",
    ":": "\u2236\ufe55",
    ".": "\u066b",
    ",": "\u066c",
}
_SAME_AS = {variant: usual for usual, variants in _ALIKE.items() for variant in variants}
_WIDE_COMMA = "\uff0c"
"""Parts a Chinese list, so it is kept; only among full-width digits does it group thousands."""
_WIDE_GROUPING = re.compile("(?<=[\uff10-\uff19])\uff0c(?=[\uff10-\uff19]{3}(?![\uff10-\uff19]))")


class _PlainTable(dict[int, str]):
    """Code point -> plain character, worked out when first met."""

    def __missing__(self, code: int) -> str:
        evened = _plain_character(chr(code))
        self[code] = evened
        return evened


def _plain_character(character: str) -> str:
    if character in _SAME_AS:
        return _SAME_AS[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if "\uff01" <= character <= "\uff5e" and character != _WIDE_COMMA:
        character = chr(ord(character) - 0xFEE0)
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


_TABLE = _PlainTable()


def even_out(text: str) -> str:
    """Lower case, ASCII digits, one dash, one blank; as long as ``text``, character for character."""
    if text.isascii():
        return text.lower()
    return _WIDE_GROUPING.sub(",", text).translate(_TABLE)
