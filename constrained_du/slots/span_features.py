"""What speaks for or against a verbatim span, whatever the slot: its edges, its neighbours, its shape.

Named numbers by unit positions of one utterance; no weights, no slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, count

from constrained_du.slots.view import END, MOMENTS, View
from constrained_du.text.lexicon import (
    AND_OR,
    CLASSIFIERS,
    CLAUSE_WORDS,
    DETERMINERS,
    FUNCTION_WORDS,
    JOINTS,
    PLEASANTRIES,
    PREPOSITIONS,
    PRONOUNS,
    VERBS,
)
from constrained_du.text.regions import regions
from constrained_du.text.synonyms import unit
from constrained_du.text.words import SENTENCE_PUNCTUATION

_LOOSE = FUNCTION_WORDS - DETERMINERS - PREPOSITIONS - VERBS
_AND = frozenset(("and", "or", "&"))
_JOINTS = _AND | {"but"}  # a title may begin with one, in a capital
_ONE = frozenset("一那这某每几")
_ENDS = frozenset("?!;？！；。")
_SHORTENED = frozenset("mrs prof ave blvd dept inc ltd corp bros vol feat est approx mon tue wed thu fri sat sun".split())
_COLONS = frozenset(":：")
_SPEECH = re.compile(
    r"(?:i|he|she|it|we|they|you|that|there)['’](?:m|s|ll|d|ve|re)|he|she|they|we|(?:wo|ca|do|does|did|is|are)n['’]t"
)
"""Words in small letters that a sentence has, and hardly any name."""
PARTING = frozenset(",;.!?…，。、；！？")
NAMES = frozenset(("name", "person", "place"))
SHAPED = MOMENTS | {"number", "duration"}


class Tallies:
    """How many units of each class there are before each position, so that a span is counted by two of them."""

    def __init__(self, view: View) -> None:
        words, content = view.words, view.is_content
        capital = [is_capital(view, index) for index in range(len(view.units))]
        lower = [means and not large for means, large in zip(content, capital, strict=True)]
        self.content = _summed(content)
        self.lower = _summed(lower)
        self.names = _summed([means and large and i > 0 for i, means, large in zip(count(), content, capital, strict=False)])
        before_noun = [*content[1:], False]  # "smoked salmon", "running shoes"
        forms = (small and _is_verb_form(word) for small, word in zip(lower, words, strict=True))
        self.verb_form = _summed([form and not noun for form, noun in zip(forms, before_noun, strict=True)])
        self.said = _summed([any(map(str.isalnum, word)) for word in words])
        self.marked = _summed([bool(mark) for mark in view.marked])
        self.prepositions, self.verbs, self.clause, self.pleasant, self.pronouns, self.joined, self.punctuation = (
            _summed([word in own for word in words])
            for own in (PREPOSITIONS, VERBS, CLAUSE_WORDS, PLEASANTRIES, PRONOUNS, _AND, SENTENCE_PUNCTUATION)
        )
        self.ends = _summed([word in _ENDS or _is_full_stop(view, index) for index, word in enumerate(words)])


def _is_full_stop(view: View, index: int) -> bool:
    """Whether a point ends a sentence: after a word that is not shortened, before one with a capital."""
    if view.words[index] != "." or not 0 < index < len(view.units) - 1:
        return False
    before, after = view.units[index - 1], view.units[index + 1]
    shortened = len(before.text) < 3 or view.words[index - 1] in _SHORTENED or not before.text.isalpha()
    return not shortened and after.start > view.units[index].end and after.text[:1].isupper()


def _summed(flags: Iterable[bool]) -> list[int]:
    return [0, *accumulate(map(int, flags))]


class Spans:
    """The spans of one utterance, each looked at once, whatever slots and functions ask about it."""

    def __init__(self, view: View) -> None:
        self._view, self._tallies = view, Tallies(view)
        self._shapes: dict[tuple[int, int], str] = {}
        self._features: dict[tuple[int, int], dict[str, float]] = {}

    def shape(self, first: int, last: int) -> str:
        if (first, last) not in self._shapes:
            self._shapes[first, last] = self._view.shape(first, last)
        return self._shapes[first, last]

    def features(self, first: int, last: int) -> dict[str, float]:
        """What the words alone say for or against a value there; what is 0 is left out."""
        if (first, last) not in self._features:
            found = of_words(self._view, self._tallies, first, last, self.shape(first, last))
            self._features[first, last] = {name: value for name, value in found.items() if value}
        return self._features[first, last]


def of_known(view: View, first: int, last: int, known: Sequence[bool]) -> dict[str, float]:
    """What depends on which units the function's own words explain (``known``)."""
    explained = sum(known[first : last + 1]) / (last - first + 1)
    return {
        "explained": explained,
        "explained all": float(explained == 1.0),
        "cut left": float(first > 0 and view.is_content[first - 1] and not known[first - 1]),
        "cut right": float(last + 1 < len(known) and view.is_content[last + 1] and not known[last + 1]),
    }


def of_words(view: View, tallies: Tallies, first: int, last: int, shape: str) -> dict[str, float]:
    """What depends on the utterance alone, the span's ``shape`` (View.shape) given; 0 where a feature is absent."""
    features: dict[str, float] = {}
    size = last - first + 1
    before, after = view.before(first), view.after(last)

    def within(tally: list[int]) -> int:
        return tally[last + 1] - tally[first]

    def inside(tally: list[int]) -> int:
        return max(0, tally[last] - tally[first + 1])

    whole = view.kinds.get(view.span_of(first, last)) in MOMENTS  # "in 5 days": the preposition belongs to it
    features["edges"] = 0.0 if whole else float(view.edge_faults(first, last))
    features["joint edge"] = float(view.units[first].text in _JOINTS or view.words[last] in _JOINTS)
    features["empty"] = float(not within(tallies.content))
    unspaced = view.is_unspaced[first] and view.is_unspaced[last]
    features["long"] = max(0.0, size - (8.0 if unspaced else 5.0))
    features["two or more"] = float(size > 1)
    features["one letter"] = float(unspaced and size == 1)
    features["unspaced"] = float(unspaced)
    features["after colon"] = float(before in _COLONS and not any(unit.may_border for unit in view.units[last + 1 :]))
    features["quoted"] = float((first, last) in view.quoted)
    features["cut quoted"] = float(view.cuts_quoted(first, last))
    features["cut joined"] = float(view.cuts_joined(first, last))
    features["cut foreign"] = float(view.cuts_foreign(first, last))
    if view.is_unspaced[first] or view.is_unspaced[last]:
        features["phrase start"] = float(view.starts_phrase(first))
        features["phrase end"] = float(view.ends_phrase(last))
        features["counted first"] = float(_is_counted(view, first, last))
        features["trails off"] = float(view.trails_off(first, last))
        features["cut script"] = float(view.cuts_script(first, last))
    features["name"] = float(shape in NAMES)
    features["shaped"] = float(shape in SHAPED)
    features["cut name"] = float(
        (first > 0 and is_capital(view, first - 1) and is_capital(view, first))
        or (last + 1 < len(view.words) and is_capital(view, last + 1) and is_capital(view, last))
    )
    features["cut name across"] = float(_cuts_across(view, first, last))
    features["pronoun"] = float(within(tallies.pronouns) == size)
    span = view.span_of(first, last)
    features["cut moment"] = float(view.cuts_moment(span))
    features["cut address"] = float(view.cuts_address(span))
    features["idle end"] = float(view.ends_idly(last) and not whole)
    features["cut group"] = float(any(group != span and group.overlaps(span) for group in view.groups))
    features["splits kind"] = float(_splits(view, first, last))
    features["after preposition"] = float(before in PREPOSITIONS)
    features["after determiner"] = float(before in DETERMINERS)
    titled = first > 0 or (last > 0 and last - first + 1 == len(view.units) and is_capital(view, 1))
    belongs = bool(view.marked[first]) or (titled and is_capital(view, first))  # "the 5th", "The Egoist"
    features["determiner first"] = float(view.words[first] in DETERMINERS and not belongs)
    features["at end"] = float(after == END or after in SENTENCE_PUNCTUATION)
    features["before function word"] = float(after in FUNCTION_WORDS)
    features["preposition inside"] = float(inside(tallies.prepositions))
    features["verb inside"] = float(inside(tallies.verbs))
    features["punctuation inside"] = float(inside(tallies.punctuation) > 0)
    features["colon inside"] = float(any(view.words[i] in _COLONS and not _joins_names(view, i) for i in range(first + 1, last)))
    features["name trails"] = float(last > first and is_capital(view, last - 1) and _is_verb_form(view.units[last].text))
    features["sentence inside"] = float(inside(tallies.ends) > 0 and not features["quoted"])
    features["joined inside"] = float(inside(tallies.joined) > 0)
    # what a span has of a clause, which a value seldom is: conjunctions, forms of verbs, names among other words
    features["speech"] = float(any(_SPEECH.fullmatch(unit.text) for unit in view.units[first : last + 1]))
    features["clause inside"] = float(within(tallies.clause))
    features["verb form"] = float(within(tallies.verb_form))
    features["name among words"] = float(0 < within(tallies.lower) < within(tallies.content) and within(tallies.names) > 0)
    features["function first"] = float(view.words[first] in _LOOSE)
    features["function last"] = float(view.words[last] in _LOOSE and not whole)  # "10:30 am"
    features["kind inside"] = float(within(tallies.marked) > 0)
    features["pleasantries"] = within(tallies.pleasant) / size
    features["wordless"] = float(not within(tallies.said) or all(word in DETERMINERS for word in view.words[first : last + 1]))
    features["code"] = float(size == 1 and _is_code(view.words[first]))
    features["cut measure"] = float(_cuts_measure(view, first, last))
    features["possessive"] = float(view.text.endswith(("'s", "’s"), 0, span.end))
    features["goes on"] = float(goes_on(view, first, last))
    features["object"] = float(not within(tallies.prepositions) and not within(tallies.verbs) and _is_object(view, first, last))
    return features


def _cuts_measure(view: View, first: int, last: int) -> bool:
    """Whether a number stands on one side of an edge and its unit on the other: "mg aspirin" of "400 mg aspirin"."""
    left = first > 0 and view.marked[first - 1] == "number" and not view.marked[first] and unit(view.words[first])
    after = last + 1 < len(view.words) and view.marked[last] == "number" and not view.marked[last + 1]
    return bool(left or (after and last > first and unit(view.words[last + 1])))


def goes_on(view: View, first: int, last: int) -> bool:
    """Whether a span goes on after a sign of punctuation as speech does, not as a name ("dover, ohio") or a list ("a, b and
    c"): "Harvest Lane, same as before"."""
    signs = [i for i in range(first + 1, last) if view.words[i] in PARTING]
    if not signs or all(view.marked[i] or not view.is_content[i] for i in range(first, last + 1)):
        return False  # "Dec. the 8th"
    after = view.text[view.units[signs[-1] + 1].start : view.units[last].end]
    start = signs[-1] + (2 if len(signs) == 1 else 1)  # "Ottoline, and add": what is counted up has commas or is no more
    listed = any(view.words[i] in AND_OR and view.is_content[i + 1] for i in range(start, last))
    if listed or regions(after.upper() if len(after) == 2 else after):
        return False
    return any(view.units[i + 1].text[:1].islower() or view.is_unspaced[i + 1] for i in signs)


def _is_object(view: View, first: int, last: int) -> bool:
    """Whether a span stands where things are that a verb is done to ("put some bread on my list"): after the verb, up to
    a preposition or the end."""
    before = view.before(first)
    verb = view.before(first, 2) if before in DETERMINERS else before
    after = view.after(last)
    return verb in VERBS and (after == END or after in PREPOSITIONS or after in SENTENCE_PUNCTUATION)


def _is_counted(view: View, first: int, last: int) -> bool:
    """Whether a span begins with a number and its classifier, which say as much as an article: 一部电视剧."""
    said = "".join(view.words[first : last + 1])
    return len(said) > 2 and said[0] in _ONE and said[1] in CLASSIFIERS


def _joins_names(view: View, index: int) -> bool:
    """Whether a colon stands within a title ("Hess: A Biography") or a time."""
    return bool(view.marked[index]) or (is_capital(view, index - 1) and is_capital(view, index + 1))


def _is_verb_form(word: str) -> bool:
    return len(word) > 5 and word.isalpha() and word.isascii() and word.endswith(("ing", "ed"))


def _is_code(word: str) -> bool:
    """"rs6034464", "my-bot-id": a word that no dictionary has."""
    digits = any(map(str.isdigit, word))
    return word.isascii() and ((digits and any(map(str.isalpha, word))) or word.count("-") > 1 or "_" in word)


def _splits(view: View, first: int, last: int) -> bool:
    """Whether an edge of the span cuts a time or a number in two; the date or the time in a
    longer moment is whole."""
    span = view.span_of(first, last)
    if view.kinds.get(span) in MOMENTS:
        return False
    marks = view.marked
    return view.cuts(span) or (first > 0 and bool(marks[first]) and marks[first - 1] == marks[first]) or (
        last + 1 < len(marks) and bool(marks[last]) and marks[last + 1] == marks[last]
    )


def _cuts_across(view: View, first: int, last: int) -> bool:
    """Whether a name goes on beyond a small word ("Love Is a Ball")."""
    before, after = first - 2, last + 2
    left = before > 0 and view.words[first - 1] in JOINTS and is_capital(view, before) and is_capital(view, first)
    right = after < len(view.words) and view.words[last + 1] in JOINTS and is_capital(view, after) and is_capital(view, last)
    return left or right


def is_capital(view: View, index: int) -> bool:
    """Whether a word has a capital, and says something by it: not where all have."""
    return view.units[index].text[:1].isupper() and not view.is_shouted
