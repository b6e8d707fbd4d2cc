"""Whether an utterance says itself what it is for, or leans on what was said before.

"arr 7" and "and in Osaka?" go on with the last request; "trains to Gouda" is one of its own,
though it has the same function. Knows words and specs; no models and no state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from constrained_du.decoding.prompt import summary
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import FUNCTION_WORDS, PARTICLES, stem, words_of
from constrained_du.text.terms import normalised
from constrained_du.text.words import Atom, atoms, is_unspaced
from constrained_du.types import Span


def states_intent(function: Function, utterance: str, spans: Iterable[Span]) -> bool:
    """Whether the words outside the values are a request: they speak of what the function is for
    (not only of its slots), or ask for something without pointing back at what was said."""
    taken = list(spans)
    outside = [a for a in atoms(utterance) if not any(span.overlaps(Span(a.start, a.end)) for span in taken)]
    of_slots = set().union(*(_terms(f"{' '.join(words_of(s.name))} {s.title} {s.description}") for s in function.slots))
    own = set().union(*map(_terms, (*function.names, summary(function)))) - of_slots
    return bool(_terms_of(outside) & own) or _requests(outside)


_REQUESTS = frozenset(
    "want wanna need like book reserve find search show order buy play tell give go plan looking".split()
)
_POINTING_BACK = frozenset(
    """instead rather actually no nope not sorry wait oops meant mean about also too make change switch it that them one
    those then""".split()
)
_REQUESTS_CJK = re.compile(r"我想|我要|我需要|帮我|请给我|たいです|たいんです|ください|ほしい|教えて")
_POINTING_BACK_CJK = re.compile(r"改|换|还是|不是|不对|那|呢|やっぱり|じゃあ|では|変更|変え|じゃなく|ではなく|それ")


def _requests(outside: Iterable[Atom]) -> bool:
    found = list(outside)
    words = {normalised(atom.text) for atom in found if atom.kind == "word"}
    text = "".join(atom.text for atom in found)
    asks = words & _REQUESTS or _REQUESTS_CJK.search(text)
    return bool(asks) and not words & _POINTING_BACK and not _POINTING_BACK_CJK.search(text)


def _terms(text: str) -> set[str]:
    return _terms_of(atoms(text))


def _terms_of(found: Iterable[Atom]) -> set[str]:
    """Stems of words that mean something; neighbouring pairs of letters in scripts without spaces."""
    terms: set[str] = set()
    before: Atom | None = None
    for atom in found:
        word = normalised(atom.text)
        if is_unspaced(word):
            if before is not None and before.end == atom.start and is_unspaced(before.text):
                pair = normalised(before.text) + word
                if not PARTICLES & set(pair):
                    terms.add(pair)
        elif atom.kind == "word" and word not in FUNCTION_WORDS:
            terms.add(stem(word))
        before = atom
    return terms
