"""Utterances that are nothing but thanks, greetings and goodbyes: nothing is asked for.

Closed lists of English, Japanese and Chinese; knows texts only.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from constrained_du.text.lexicon import FUNCTION_WORDS, PLEASANTRIES, stem
from constrained_du.text.terms import normalised
from constrained_du.text.words import atoms

_COURTESIES = frozenset("hi hello thanks thank thx bye goodbye cheers".split())
_BESIDE = PLEASANTRIES | frozenset(
    "good day night morning evening afternoon nice lovely one lot much time everything all later see".split()
)
_TOPICS = _COURTESIES | frozenset("greet greeting farewell thank courtesy chat smalltalk session close".split())
_UNSPACED = re.compile(
    "谢谢|多谢|感谢|再见|拜拜|你好|您好|早上好|晚安|ありがとう(?:ございま(?:す|した))?|さようなら|こんにちは|こんばんは|おはよう(?:ございます)?"
)
_AROUND = re.compile(r"[\W_]|你|您|了|啊|呀|哦|们|大家|どうも|ね")


def is_about_courtesies(stems: Collection[str]) -> bool:
    """Whether a function with these words may be what somebody asks for who only greets or thanks."""
    return any(word in _TOPICS for word in stems) or any(sign in "".join(stems) for sign in ("问候", "告别", "挨拶", "感谢"))


def courtesies(text: str) -> frozenset[str]:
    """The stems of an utterance that only thanks, greets or takes its leave; empty for any other."""
    plain = normalised(text)
    said = _UNSPACED.findall(plain)
    if said and not _AROUND.sub("", _UNSPACED.sub("", plain)):
        return frozenset(said)
    words = [atom.text for atom in atoms(plain) if atom.kind in ("word", "number")]
    mere = _COURTESIES & set(words) and all(word in _BESIDE or word in FUNCTION_WORDS for word in words)
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS) if mere else frozenset()
