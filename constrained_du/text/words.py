"""Where words begin and end: the boundaries that a verbatim span may have.

Knows scripts and punctuation, nothing of slots. A span never begins or ends inside a word
or a number, nor at a blank or at the punctuation of a sentence; in scripts written without
spaces it may do so at any character (grapheme cluster). Offsets are code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import regex

# Scripts that are written without spaces between words.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々〆〇"
_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]"
_IN_LOCAL = rf"[[\p{{L}}\p{{M}}\p{{N}}_.+%\-]--[{_UNSPACED}]]"
_IN_HOST = rf"[[\p{{L}}\p{{M}}\p{{N}}_\-]--[{_UNSPACED}]]"
_IN_URL = rf"[[^\s\"'<>“”‘’、。，！？；：「」『』（）]--[{_UNSPACED}]]"
_INVISIBLE = "\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"  # no width, no word: as blanks

_ATOM = regex.compile(
    rf"""
    (?P<address> {_IN_LOCAL}{{1,64}}@{_IN_HOST}{{1,63}}(?:\.{_IN_HOST}{{1,63}}){{1,8}}
               | [a-zA-Z][a-zA-Z0-9+.-]{{0,30}}://{_IN_URL}*(?:{_LETTER}|[/=&]) )
  | (?P<number> \p{{Nd}}{{1,4}}(?P<mark>[-/.])\p{{Nd}}{{1,2}}(?P=mark)\p{{Nd}}{{1,4}}(?!\p{{Nd}}) )
  | (?P<abbreviation> (?<!{_LETTER}) (?:\p{{L}}\.){{2,}} (?!{_LETTER}) )
  | (?P<numeral> \p{{Nd}}+(?:[.,:]\p{{Nd}}+)* {_LETTER}* )
  | (?P<word> {_LETTER}+(?:['’.\u00ad\u200c\u200d]{_LETTER}+)* )
  | (?P<blank> [\s\x1c-\x1f{_INVISIBLE}]+ )
  | (?P<sign> \X )
    """,
    regex.VERSION1 | regex.VERBOSE,
)
_UNSPACED_START = regex.compile(rf"[{_UNSPACED}]", regex.VERSION1)
SENTENCE_PUNCTUATION = frozenset(".,;:!?…。，、；：！？｡､．،؛؟۔।॥։።፣¿¡")
_OPENED = regex.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068]+$")  # letters that turn the direction …
_CLOSED = regex.compile("[\u202c\u2069]+")  # … until one of these: a span may hold its own
_POSSESSIVE = regex.compile(r"['’]s$", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Atom:
    """A word, a number, an address, a run of blanks, or one other character."""

    start: int
    end: int
    kind: str
    text: str

    @property
    def may_border(self) -> bool:
        """Whether a span may begin or end with it."""
        return self.kind != "blank" and not (self.kind == "sign" and self.text[0] in SENTENCE_PUNCTUATION)  # ".\u093a" too


_ROLES = regex.compile(
    r"<\|[^<>|\s]{1,40}\|>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>|</?s>|\n\s*(?:system|assistant|user)\s*:",
    regex.IGNORECASE,
)


def own_words(utterance: str) -> str:
    """What comes before the markers of a chat template, where they follow words: after them somebody speaks
    in another's name. The utterance itself without such markers."""
    found = _ROLES.search(utterance)
    if found is None or not any(map(str.isalnum, utterance[: found.start()])):
        return utterance
    return utterance[: found.start()]


def _kind(match: regex.Match[str]) -> str:
    kind = match.lastgroup or "sign"
    return "number" if kind in ("numeral", "mark") else kind


@lru_cache(maxsize=256)
def atoms(text: str) -> tuple[Atom, ...]:
    """The utterance cut into atoms, without gaps: their texts joined are the text."""
    return tuple(
        Atom(match.start(), match.end(), _kind(match), match.group()) for match in _ATOM.finditer(text)
    )


@lru_cache(maxsize=256)
def boundaries(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """All offsets at which a verbatim span may start, and all at which it may end."""
    bordering = [atom for atom in atoms(text) if atom.may_border]
    starts = tuple(atom.start for atom in bordering)
    ends = {atom.end for atom in bordering}
    ends |= {atom.end - 2 for atom in bordering if atom.kind == "word" and _POSSESSIVE.search(atom.text)}
    ends |= {atom.end - 1 for atom in bordering if atom.kind == "abbreviation"}
    for blank in (atom for atom in atoms(text) if atom.kind == "blank" and not atom.text.isascii()):
        opened, closed = _OPENED.search(blank.text), _CLOSED.match(blank.text)
        starts += (blank.start + opened.start(),) if opened and blank.end in starts else ()
        ends |= {blank.start + closed.end()} if closed and blank.start in ends else set()
    return tuple(sorted(starts)), tuple(sorted(ends))


def is_unspaced(text: str) -> bool:
    """Whether a text begins in a script that is written without spaces between words."""
    return _UNSPACED_START.match(text) is not None


def is_mostly_unspaced(text: str) -> bool:
    """Whether most letters of a text are of such scripts."""
    letters = [letter for letter in text if letter.isalpha()]
    return sum(map(is_unspaced, letters)) * 2 > len(letters)


def is_blank(text: str) -> bool:
    """Whether there is nothing to read: blanks and invisible characters only."""
    return all(atom.kind == "blank" or not atom.text.isprintable() for atom in atoms(text))


def occurrences(text: str, part: str) -> Iterator[int]:
    """Every offset at which ``part`` stands in ``text``, overlapping ones too."""
    at = text.find(part) if part else -1
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


_CODE = regex.compile(
    r"\+?\d[\d ()/-]{5,}\d|[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+"
    r"|(?=[^\d]*\d)(?:[A-Z]{1,4} )?[A-Za-z0-9]+(?:[-/_.][A-Za-z0-9]+)*"
    r"|(?=[^\d]*\d)[A-Z0-9]{1,8}(?: [A-Z0-9]{1,8}){1,2}"
)


def is_code(text: str) -> bool:
    """Whether a text is written as codes are: "RE7143", "IC 204", "LK70 ZDE", "555-0148"; "3" counts something."""
    return len(text) > 2 and _CODE.fullmatch(text) is not None
