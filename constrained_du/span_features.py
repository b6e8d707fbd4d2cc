"""What speaks for or against a verbatim span, whatever the slot: its edges, its neighbours, its shape.

Named numbers by unit positions of one utterance; no weights, no slots.
"""

from __future__ import annotations

from collections.abc import Sequence

from constrained_du.lexicon import (
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
from constrained_du.view import END, View
from constrained_du.words import SENTENCE_PUNCTUATION

_AND = frozenset(("and", "or", "&"))
_ONE = frozenset("一那这某每几")
_COLONS = frozenset(":：")
MOMENTS = frozenset(("date", "time", "datetime"))
SHAPED = MOMENTS | {"number", "duration"}


def verbatim_features(view: View, first: int, last: int, shape: str, known: Sequence[bool]) -> dict[str, float]:
    """``known`` says of each unit whether the function's own words explain it; 0 where a feature is absent."""
    features: dict[str, float] = {}
    size = last - first + 1
    before, after = view.before(first), view.after(last)
    features["edges"] = float(view.edge_faults(first, last))
    features["empty"] = float(not any(view.is_content[first : last + 1]))
    features["explained"] = sum(known[first : last + 1]) / size
    features["explained all"] = float(features["explained"] == 1.0)
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
        features["cut script"] = float(view.cuts_script(first, last))
    features["name"] = float(shape == "name")
    features["shaped"] = float(shape in SHAPED)
    features["cut left"] = float(first > 0 and view.is_content[first - 1] and not known[first - 1])
    features["cut right"] = float(
        last + 1 < len(view.words) and view.is_content[last + 1] and not known[last + 1]
    )
    features["cut name"] = float(
        (first > 0 and is_capital(view, first - 1) and is_capital(view, first))
        or (last + 1 < len(view.words) and is_capital(view, last + 1) and is_capital(view, last))
    )
    features["cut name across"] = float(_cuts_across(view, first, last))
    features["pronoun"] = float(set(view.words[first : last + 1]) <= PRONOUNS)
    features["splits kind"] = float(_splits(view, first, last))
    features["after preposition"] = float(before in PREPOSITIONS)
    features["after determiner"] = float(before in DETERMINERS)
    features["determiner first"] = float(view.words[first] in DETERMINERS)
    features["at end"] = float(after == END or after in SENTENCE_PUNCTUATION)
    features["before function word"] = float(after in FUNCTION_WORDS)
    inside = view.words[first + 1 : last]
    features["preposition inside"] = float(sum(word in PREPOSITIONS for word in inside))
    features["verb inside"] = float(sum(word in VERBS for word in inside))
    features |= _clause_features(view, first, last)
    features["punctuation inside"] = float(sum(word in SENTENCE_PUNCTUATION for word in inside))
    return features


def _clause_features(view: View, first: int, last: int) -> dict[str, float]:
    """What a span has of a clause, which a value seldom is: conjunctions, forms of verbs, names among other words."""
    words, content = view.words, [i for i in range(first, last + 1) if view.is_content[i]]
    lower = [i for i in content if not is_capital(view, i)]
    return {
        "pleasantries": sum(word in PLEASANTRIES for word in words[first : last + 1]) / (last - first + 1),
        "wordless": float(not any(any(map(str.isalnum, word)) for word in words[first : last + 1])),
        "function first": float(words[first] in FUNCTION_WORDS - DETERMINERS - PREPOSITIONS - VERBS),
        "function last": float(words[last] in FUNCTION_WORDS - DETERMINERS - PREPOSITIONS - VERBS),
        "clause inside": float(sum(word in CLAUSE_WORDS for word in words[first : last + 1])),
        "joined inside": float(sum(word in _AND for word in words[first + 1 : last])),
        "verb form": float(sum(_is_verb_form(words[i]) for i in lower)),
        "name among words": float(0 < len(lower) < len(content) and any(i > 0 for i in content if i not in lower)),
        "kind inside": float(any(view.marked[i] for i in range(first, last + 1))),
        "code": float(first == last and _is_code(words[first])),
        "object": float(_is_object(view, first, last)),
    }


def _is_object(view: View, first: int, last: int) -> bool:
    """Whether a span is what a verb is done to ("put some bread on my list"): from the verb to a preposition or the end."""
    before = view.before(first)
    verb = view.before(first, 2) if before in DETERMINERS else before
    after = view.after(last)
    return verb in VERBS and (after == END or after in PREPOSITIONS or after in SENTENCE_PUNCTUATION) and not any(
        word in PREPOSITIONS or word in VERBS for word in view.words[first : last + 1]
    )


def _is_counted(view: View, first: int, last: int) -> bool:
    """Whether a span begins with a number and its classifier, which say as much as an article: 一部电视剧."""
    said = "".join(view.words[first : last + 1])
    return len(said) > 2 and said[0] in _ONE and said[1] in CLASSIFIERS


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
    return view.units[index].text[:1].isupper()
