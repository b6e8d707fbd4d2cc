"""How often a text says yes, and how often no; English, Japanese and Chinese.

Knows closed lists of words; what the yes or no is about is for others to judge.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from constrained_du.text.lexicon import AFFIRMATIVE, FUNCTION_WORDS, NEGATIVE, PLEASANTRIES
from constrained_du.text.terms import normalised
from constrained_du.text.words import atoms, is_unspaced

SHORT = 8  # words (letters, in scripts without spaces) of a mere yes or no
_YES_PHRASES = ("no problem", "not a problem", "why not", "go ahead", "sounds good", "sounds great", "of course",
                "没错", "没问题", "当然", "もちろん", "そうです", "お願いします", "大丈夫です", "合って", "その通り")  # fmt: skip
_NO_PHRASES = ("not really", "no way", "不是", "不对", "不行", "不用", "不要", "没有", "いいえ", "いえ", "違い", "ちがう",
               "ちがい", "だめ", "ダメ", "いりません", "そうじゃない", "ではない", "結構です")  # fmt: skip
_YES = frozenset((*(word for word in AFFIRMATIVE if is_unspaced(word)), *_YES_PHRASES))
_NO = frozenset((*(word for word in NEGATIVE if is_unspaced(word)), *_NO_PHRASES))
_MERE = FUNCTION_WORDS | PLEASANTRIES | AFFIRMATIVE | NEGATIVE | frozenset(
    "fine good great works work sounds think guess suppose perfect nice lovely that's that'd would'd thing too".split()
)
_PHRASE = re.compile("|".join(
    re.escape(p) if is_unspaced(p) else rf"\b{re.escape(p)}\b" for p in sorted(_YES | _NO, key=lambda p: (-len(p), p))
))  # fmt: skip


class Polarity(NamedTuple):
    yes: int
    no: int

    @property
    def leaning(self) -> int:
        """1 for yes, −1 for no, 0 for neither or both alike."""
        return (self.yes > self.no) - (self.no > self.yes)


@lru_cache(maxsize=64)
def polarity(text: str) -> Polarity:
    plain = normalised(text).replace("’", "'")
    phrases = _PHRASE.findall(plain)
    words = [atom.text for atom in atoms(_PHRASE.sub(" ", plain)) if atom.kind == "word"]
    yes = sum(phrase in _YES for phrase in phrases) + sum(word in AFFIRMATIVE for word in words)
    no = sum(phrase in _NO for phrase in phrases) + sum(word in NEGATIVE for word in words)
    return Polarity(yes, no)


def is_mere(text: str) -> bool:
    """Whether a text says yes or no and nothing else: "yes, that is fine with me"."""
    words = [atom.text for atom in atoms(_PHRASE.sub(" ", normalised(text).replace("’", "'"))) if atom.kind == "word"]
    return is_yes_or_no(text) and all(word in _MERE for word in words)


def is_yes_or_no(text: str) -> bool:
    """Whether a yes or a no is about all that was said."""
    return polarity(text).leaning != 0 and sum(atom.may_border for atom in atoms(text)) <= SHORT
