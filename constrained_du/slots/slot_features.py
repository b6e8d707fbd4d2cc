"""What the surroundings and the words of a span say for one slot: cues, names, descriptions, kinds.

Plain functions of an utterance, a slot and unit positions (inclusive); no weights, no exemplars.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from constrained_du.recognizers.numerals import ORDINAL_WORDS
from constrained_du.slots.places import Place, is_naming, is_superlative
from constrained_du.slots.span_features import PARTING, is_capital
from constrained_du.slots.view import MOMENTS, View
from constrained_du.text.lexicon import (
    CLAUSE_CUES,
    CUES,
    CUES_AFTER,
    CUES_AFTER_UNSPACED,
    CUES_UNSPACED,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SAID,
    VERBS,
    stem,
)
from constrained_du.text.regions import LONGEST_NAME, Regions, regions
from constrained_du.text.words import is_code, is_unspaced
from constrained_du.types import Span

CLASHING = frozenset((("date", "time"), ("time", "date"), ("date", "number")))
"""Kinds of slots and of spans that are never each other's, where another slot waits for the span's."""
_NAME_LENGTHS = {"person": (1.0, -1.0), "title": (-0.5, 1.0)}  # of two words, and of more than three
_NONE: frozenset[str] = frozenset()
_GIVEN = frozenset(("first", "given", "forename"))
_FAMILY = frozenset(("last", "family", "surname"))
_MY_NAME = re.compile(r"\b(?:my|the) name(?:['’]s| is)\b|\bcall me\b", re.IGNORECASE)
_CALLED = frozenset(("first", "given", "forename", "last", "family", "surname", "second"))
_TAKES_BACK = re.compile(
    r"[,.;…—–-]+ *(?:oh |ah |um |uh |er )?(?:no|nope|sorry|wait|hang on|actually|i mean|i meant|oops|make (?:that|it)"
    r"|or rather|scratch that|scrap that|correction|on second thoughts?)\b|\b(?:or rather|i mean|i meant)\b"
    r"|\b(?:but not|but without|but no|except(?: for)?|excluding|other than|apart from|any(?:thing|one|body|where) but"
    r"|everything but|not (?:the|through|via|to|from|in|at|on|with)|that (?:don't|doesn't|aren't|isn't))\b",
    re.IGNORECASE,
)
_MOST = frozenset(("most", "least"))
_LONGEST_NOUN = 4  # letters of a noun in scripts without spaces


def cue(view: View, place: Place, first: int, last: int) -> float:
    """Prepositions and particles beside the span that speak for this slot."""
    strength = 0.0
    for distance, weight in ((1, 1.0), (2, 0.5)):
        if CUES.get(view.before(first, distance), _NONE) & place.own_words:
            strength += weight
    if CUES_AFTER.get(view.after(last), _NONE) & place.own_words:
        strength += 1.0
    if view.is_unspaced[first] or view.is_unspaced[last]:
        strength += _cue_unspaced(view, place, first, last)
    return strength


def _cue_unspaced(view: View, place: Place, first: int, last: int) -> float:
    span = view.span_of(first, last)
    before, after = view.text[: span.start], view.text[span.end :]

    def speaks(words: Collection[str]) -> bool:
        return any(word in place.name_words or (not word.isascii() and word in place.description) for word in words)

    cues = (words for sign, words in CUES_UNSPACED.items() if before.endswith(sign))
    after_cues = (words for sign, words in CUES_AFTER_UNSPACED.items() if after.startswith(sign))
    return float(any(map(speaks, cues))) + float(any(map(speaks, after_cues)))


def is_reported(view: View, place: Place, first: int, last: int) -> bool:
    """Whether a span is a clause that its cue speaks for, as far as it goes: to the end, or to a time after it. A message
    also follows its own name, and those whom it is for: "with the message I am late", "tell Ann dinner is ready"."""
    before = view.before(first)
    if first == 0:
        return False
    holds = not SAID.isdisjoint(place.own_words)
    if holds and (first == view.addressed or (before in SAID and before in place.name_words)):
        return not any(unit.may_border for unit in view.units[last + 1 :])
    if not CLAUSE_CUES.get(before, _NONE) & place.own_words:
        return False
    if before == "to" and view.words[first] in DETERMINERS | PRONOUNS:  # "to my list": no clause
        return False
    rest = [i for i in range(last + 1, len(view.units)) if view.units[i].may_border]
    if rest and view.words[rest[0]] in PREPOSITIONS:
        rest = rest[1:]
    return not any(view.marked[i] for i in range(first, last + 1)) and all(view.marked[i] for i in rest)


def named(view: View, place: Place, first: int, last: int) -> float:
    """The slot's own name beside the span ("playlist X", "X playlist", "two quiet rooms")."""
    words, stems = view.words, view.stems
    parted = first > 0 and words[first - 1] in PARTING  # "second season, fourth episode"
    counts_up = first == last and words[first] in ORDINAL_WORDS
    beside = (last + 1,) if parted or counts_up else (first - 1, first - 2, last + 1)
    around = [stems[at] for at in beside if 0 <= at < len(words) and words[at] not in PREPOSITIONS]
    if view.marked[last] == "number" and last + 2 < len(view.units) and view.is_content[last + 1] and not view.marked[last + 1]:
        around.append(view.stems[last + 2])
    if place.called and not any(view.marked[first : last + 1]) and _touches(view, place.called, first, last):
        return 1.0
    own = place.name_words
    return float(any(word in own or (word.endswith("room") and word[:-4] in own) for word in around))  # bedrooms are beds


def _touches(view: View, word: str, first: int, last: int) -> bool:
    """Whether a word stands right before a span or after it, in a script without spaces: 专辑 of 专辑Blue."""
    span = view.span_of(first, last)
    return view.text[: span.start].rstrip(" 《「『“").endswith(word) or view.text[span.end :].lstrip(" 》」』”").startswith(word)


def named_whole(view: View, place: Place, first: int, last: int) -> float:
    """Whether all words of a slot's name, several, stand before or after the span ("first name is X")."""
    if len(place.name_words) < 2:
        return 0.0
    stems = view.stems
    before, after = set(stems[max(0, first - 4) : first]), set(stems[last + 1 : last + 4])
    return float(place.name_words <= before or place.name_words <= after)


def names_noun(view: View, place: Place, first: int, last: int, of_function: Collection[str]) -> float:
    """Whether what a naming slot's function is about follows the span: "pizza" in "the pizza timer", 披萨计时器."""
    if not is_naming(place) or last + 1 >= len(view.units):
        return 0.0
    if view.is_unspaced[last + 1]:
        after = ("".join(view.words[last + 1 : last + 1 + n]) for n in range(2, _LONGEST_NOUN + 1))
        return float(any(noun in place.description for noun in after))
    return float(view.is_content[last + 1] and view.stems[last + 1] in place.described and view.stems[last + 1] in of_function)


def beside(view: View, place: Place, first: int, last: int) -> tuple[bool, bool]:
    """Whether a word of the slot's name stands right before the span, and right after it."""
    return stem(view.before(first)) in place.name_words, stem(view.after(last)) in place.name_words


def described(view: View, place: Place, first: int, last: int, others: Iterable[Place]) -> tuple[float, float]:
    """Share of the span's words that the slot's description speaks of ("such as song, album"),
    and whether it speaks of all and no other slot's does."""
    own = [i for i in range(first, last + 1) if view.is_content[i]] or [first]
    if view.is_unspaced[first]:
        said = "".join(view.words[first : last + 1])
        return (1.0, 1.0) if last > first and said in place.description else (0.0, 0.0)
    if place.described.isdisjoint(view.stem_set):
        return 0.0, 0.0
    spoken = [view.stems[i] for i in own if view.stems[i] in place.described]
    alone = len(spoken) == len(own) and not any(
        all(word in other.described for word in spoken) for other in others if other.name != place.name
    )
    return len(spoken) / len(own), float(alone)


def is_example(view: View, place: Place, first: int, last: int) -> bool:
    """Whether the span is a value that the slot's description gives as an example, or its comparative ("chillier"), the like
    with another number ("top 20" of "top 50"), or a superlative where one is given ("newest", "the most popular")."""
    said = view.stems[first : last + 1]
    if said in place.examples and (view.words[first : last + 1] in place.listed or not _is_modifier(view, last)):
        return True
    if first == last and said not in place.examples and _degrees(said[0]) & place.example_words:
        return True
    if place.ranks and (is_superlative(view.words[first]) if first == last else said[0] in _MOST and last == first + 1):
        return True
    if place.ranks and said[0] == "最" and 1 <= last - first <= 2 and view.ends_phrase(last):
        return True
    numbers = tuple("#" if word.isdigit() else word for word in said)
    return last > first and numbers != said and numbers in place.numbered


def _is_modifier(view: View, index: int) -> bool:
    """Whether a noun stands before another: "movie" of "movie times", which is none of the "movies"."""
    after = index + 1
    return after < len(view.units) and view.is_content[after] and view.units[after].text[:1].islower()


def example_spans(view: View, place: Place) -> Iterator[Span]:
    """Where examples of the slot were said."""
    longest = max(3 * place.ranks, *map(len, place.examples), 0)
    for first, last in view.spans(longest):
        if is_example(view, place, first, last):
            yield view.span_of(first, last)


@lru_cache(maxsize=4096)
def _degrees(word: str) -> frozenset[str]:
    """A word without the endings of comparison: "chillier" is "chilly"."""
    if len(word) < 5 or not word.isascii():
        return frozenset((word,))
    bare = {word}
    for ending in ("er", "est"):
        if word.endswith(ending):
            root = word[: -len(ending)]
            bare |= {root, root + "e", root.removesuffix("i") + "y" if root.endswith("i") else root}
            bare |= {root[:-1]} if root[-1:] == root[-2:-1] else set()
    return frozenset(bare)


def regional(view: View, place: Place, first: int, last: int, others: Iterable[Place]) -> dict[str, float]:
    """Whether the span names a country or a state, and the slot waits for one; or another slot does."""
    asked = frozenset(kind for other in others for kind in other.regions)
    if not asked:
        return {}
    span = view.span_of(first, last)
    found = regions(view.text[span.start : span.end], view.text.isupper())
    own = place.regions
    return {
        "region same": float(bool(found & own - {"city"})),  # cities are not listed, but where they are states as well
        "region other": float(bool(found & asked) and not found & own),
        "region unknown": float(own == {"country"} and not found),
        "region inside": float(place.kind == "place" and _ends_in_region(view, first, last, asked - own)),
    }


def _ends_in_region(view: View, first: int, last: int, kinds: Regions) -> bool:
    """Whether a span is more than the country or state at its end, for which another slot waits."""
    spans = (view.span_of(i, last) for i in range(first + 1, last + 1))
    return any(regions(view.text[s.start : s.end], view.text.isupper()) & kinds - {"city"} for s in spans)


def region_spans(view: View, place: Place) -> Iterator[Span]:
    """Where countries or states were said, if the slot waits for one."""
    for first, last in view.spans(LONGEST_NAME) if place.regions - {"city"} else ():
        span = view.span_of(first, last)
        if regions(view.text[span.start : span.end], view.text.isupper()) & place.regions:
            yield span


def is_kind_named(view: View, place: Place, first: int, last: int) -> bool:
    """Whether a slot for the kind of something is given a name: words with capitals, which kinds seldom have."""
    if first == 0 or not place.holds_kind:
        return False
    named = [is_capital(view, i) and not view.units[i].text.isupper() for i in range(first, last + 1) if view.is_content[i]]
    return bool(named) and all(named) and not is_example(view, place, first, last)


def is_no_value(view: View, place: Place, first: int, last: int) -> bool:
    """Whether words are plainly no value of a slot: no time and no figures where it waits for these, a name for a kind, more
    than a name for somebody, words that take others back or leave some out, no country."""
    if place.kind in MOMENTS and not any(view.marked[first : last + 1]):
        return True
    if place.holds_code and not any(letter.isdigit() for word in view.words[first : last + 1] for letter in word):
        return True
    if place.holds_code and as_code(view, place, first, last).get("code and more"):
        return True
    if is_kind_named(view, place, first, last) or names_more(view, place, first, last) or takes_back(view, place, first, last):
        return True
    return bool(regional(view, place, first, last, (place,)).get("region unknown"))


def turn(view: View, span: Span) -> float:
    """Where a span stands (0 to 1): a number among the numbers, what else among the letters."""
    if len(view.turns) > 1 and span.start in view.turns:
        return view.turns[span.start]
    return (span.start + span.end) / 2 / max(1, len(view.text))


def name_length(view: View, place: Place, first: int, last: int) -> float:
    """How usual it is that the name of a person or of a work has so many words."""
    two, many = _NAME_LENGTHS.get(place.kind, (0.0, 0.0))
    if not view.is_content[first] or not view.is_content[last]:
        return 0.0
    return two if last == first + 1 else many if last > first + 2 else 0.0


def takes_back(view: View, place: Place, first: int, last: int) -> bool:
    """Whether words say one thing and another instead ("Leeds, no wait, York"), or what it is not ("anything but jazz"), in a
    slot that is for no message."""
    if not SAID.isdisjoint(place.own_words) or view.cuts_quoted(first, last) or (first, last) in view.quoted:
        return False
    span = view.span_of(first, last)
    either = (place.holds_person or place.holds_code) and "or" in view.words[first + 1 : last]
    return either or _TAKES_BACK.search(view.text, span.start, span.end) is not None


def names_more(view: View, place: Place, first: int, last: int) -> bool:
    """Whether a slot for somebody is given a name and more than that: "Ada on Monday", "Mr Holm has half an hour"."""
    if not place.holds_person or view.is_unspaced[first] or view.span_of(first, last) in view.relatives:
        return False
    named = [is_capital(view, i) and i > 0 and not view.marked[i] for i in range(first, last + 1) if view.is_content[i]]
    more = any(mark and mark not in ("number", "ordinal") for mark in view.marked[first : last + 1]) or any(
        view.words[i] in PREPOSITIONS | VERBS or view.words[i] in PARTING for i in range(first + 1, last)
    )
    return any(named) and not all(named) and more


def name_part(view: View, place: Place, first: int, last: int) -> float:
    """Given and family names: the first word of a name, and what follows it; one word is what it is called ("my surname is
    X"), a given name after "my name is", and a family's after "under the name" and before "party"."""
    wanted = _GIVEN if place.name_words & _GIVEN else _FAMILY if place.name_words & _FAMILY else None
    if wanted is None:
        return 0.0
    if not all(_namelike(view, i) and view.stems[i] not in _CALLED for i in range(first, last + 1)):
        return -1.0
    follows = first > 0 and _namelike(view, first - 1) and view.units[first - 1].end + 1 == view.units[first].start
    more = last + 1 < len(view.units)
    leads = more and _namelike(view, last + 1) and view.units[last].end + 1 == view.units[last + 1].start
    if last > first:
        return -0.5
    if not follows and not leads and (called := _called(view)):
        return 1.0 if called is wanted else -1.0
    under = not follows and view.words[max(0, first - 3) : first] == ("under", "the", "name")
    if not leads and (under or view.after(last) == "party"):
        return 1.0 if wanted is _FAMILY else -1.0  # those who come are called by it
    if wanted is _GIVEN:
        return float(leads and not follows)
    return float(follows and not leads)


def _called(view: View) -> frozenset[str] | None:
    """Which of its names an utterance speaks of: "my family name", "first name", "my name is"."""
    stems = view.stems
    said = {stems[i] for i in range(len(stems) - 1) if stems[i + 1] == "name"} | ({"surname"} & set(stems))
    for words, kind in ((_FAMILY | {"second"}, _FAMILY), (_GIVEN, _GIVEN)):
        if said & words:
            return kind
    return _GIVEN if _MY_NAME.search(view.text) else None


def cuts_word(view: View, span: Span) -> bool:
    """Whether a candidate that was supplied begins or ends inside a word."""
    first, last = view.within(span)
    left, right = view.units[first], view.units[last]
    return (left.start < span.start and left.kind != "sign") or (span.end < right.end and right.kind != "sign")


def as_code(view: View, place: Place, first: int, last: int) -> dict[str, float]:
    """Whether a span is a code, or figures after the slot's own name ("the code is 29"); or a code and more than it."""
    span = view.span_of(first, last)
    text = view.text[span.start : span.end]
    named = text.isdigit() and not place.name_words.isdisjoint(view.stems[max(0, first - 3) : first])
    if named or is_code(text):
        return {"code named": 1.0}
    more = last > first and any(is_code(unit.text) and not unit.text.isalpha() for unit in view.units[first : last + 1])
    word = text.islower() and not any(map(str.isdigit, text))
    return {"no code": 1.0 + word, "code and more": float(more)}


def cuts_code(view: View, first: int, last: int) -> bool:
    """Whether figures stand right beside a span that belong to one code with it: "7946 0112" of "020 7946 0112"."""
    texts = [unit.text for unit in view.units]
    beside = [i for i in (first - 1, last + 1) if 0 <= i < len(texts) and texts[i].isalnum() and texts[i] == texts[i].upper()]
    spans = (view.span_of(min(i, first), max(i, last)) for i in beside)
    return any(is_code(view.text[span.start : span.end]) for span in spans)


def is_made_of(word: str, root: str) -> bool:
    """Whether a word is a form of another, and another word: "unlocked" of "lock", 没锁 of 锁."""
    if not root:
        return False
    if is_unspaced(root[0]):
        return root != word and root in word
    bare = word.removeprefix("un")
    return (bare != root and bare in (f"{root}ed", f"{root}d", f"{root}{root[-1]}ed")) or word == f"un{root}"


def is_title(view: View, first: int, last: int) -> bool:
    """Whether every word of a span that means something has a capital."""
    return all(is_capital(view, i) for i in range(first, last + 1) if view.is_content[i])


def _namelike(view: View, index: int) -> bool:
    return view.units[index].kind == "word" and view.is_content[index] and (
        is_capital(view, index) or view.text.islower() or view.text.isupper()
    )


def agree(kind: str, shape: str) -> bool:
    """Whether a span of this shape may be a value of a slot of this kind."""
    if kind == shape:
        return True
    pairs = {("datetime", "date"), ("datetime", "time"), ("date", "datetime"), ("time", "datetime"), ("duration", "number")}
    return (kind, shape) in pairs or (kind in ("person", "place", "title") and shape == "name")
