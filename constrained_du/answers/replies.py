"""Utterances that are nothing but values: settled without a model.

The answer to what was asked: "Boston" to a slot of cities, "five" to a number, "nope" to a
yes-or-no, "the second one" to a list (plain strings are no such slots: anything would be an
answer to them). And several values that only one function can take together: "ams utr".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from constrained_du.domain.domain import Domain
from constrained_du.domain.matching import leaves
from constrained_du.grammar.candidates import Expectation
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import CallGrammar, Choice, Node, OneOf
from constrained_du.slots.picks import is_list, is_pick, picked
from constrained_du.slots.places import Place
from constrained_du.slots.slot_features import agree
from constrained_du.slots.span_features import SHAPED
from constrained_du.slots.view import MOMENTS, View
from constrained_du.specs.schema import Enumerated
from constrained_du.text.polarity import is_mere, is_yes_or_no
from constrained_du.types import Span

MOST_VALUES = 8  # words of an utterance that is nothing but values
MOST_WORDS = 3  # of a mere yes or no; longer ones say something else as well


def answers(domain: Domain, expectation: Expectation, view: View, grammar: CallGrammar) -> bool:
    """Whether the utterance as a whole is a value of the slot that was asked for."""
    if expectation.slot is None:
        return False
    place = domain.places[expectation.function][expectation.slot]
    node = next(field.node for field in grammar.slots.fields if field.name == place.name)
    if place.is_boolean:
        few = sum(unit.kind == "word" for unit in view.units) <= MOST_WORDS
        return is_mere(view.text) or (few and is_yes_or_no(view.text))
    return any(_is_chosen(choices, place, view) for choices in _choices(node))


def is_moment(place: Place, view: View) -> bool:
    """Whether nothing but a moment was said, and the slot waits for one."""
    content = {index for index, means in enumerate(view.is_content) if means}
    found = (view.within(span) for span, kind in view.kinds.items() if place.kind in MOMENTS and agree(place.kind, kind))
    return bool(content) and any(content <= set(range(first, last + 1)) for first, last in found)


def is_of_kind(place: Place, located: Sequence[Span], view: View) -> bool:
    """Whether what fills a slot is a moment, a length or a number, and the slot waits for one."""
    return place.kind in SHAPED and bool(located) and agree(place.kind, view.shape(*view.within(located[0])))


def only_holder(
    view: View, binder: Binder, allowed: Sequence[int], grammar: Callable[[int], CallGrammar]
) -> int | None:
    """The one function whose slots take several values of which the whole utterance consists ("ams utr").

    None where no function or more than one takes them all.
    """
    content = [index for index, means in enumerate(view.is_content) if means]
    if not 2 <= len(content) <= MOST_VALUES or not _are_values(content, view, binder):
        return None
    bound = ((index, grammar(index)) for index in allowed)
    holders = [index for index, own in bound if not own.branches and _holds(own, content, view)]
    return holders[0] if len(holders) == 1 else None


def _are_values(content: Sequence[int], view: View, binder: Binder) -> bool:
    """A cheap look: every word is part of something recognized, and that is more than one thing."""
    kinds = binder.ontology.recognizers
    found = [choice.span for kind in kinds for choice in binder.recognized(kind) if choice.exact and choice.span]
    found += [c.span for own in binder.candidates.by_key.values() for c in own if c.span is not None]
    if not found:
        return False
    covers = [*found, *view.kinds]
    units = [Span(view.units[i].start, view.units[i].end) for i in content]
    return all(any(_inside(unit, span) for span in covers) for unit in units) and not any(
        all(_inside(unit, span) for unit in units) for span in covers
    )


def _inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _holds(grammar: CallGrammar, content: Sequence[int], view: View) -> bool:
    """Whether values of different slots can cover all the words."""
    slots = [
        [view.within(c.span) for choices in _choices(field.node) for c in choices
         if c.span is not None and c.exact and c.source != "verbatim"]
        for field in grammar.slots.fields
    ]  # fmt: skip

    def covered(left: Sequence[int], used: frozenset[int]) -> bool:
        if not left:
            return True
        return any(
            first <= left[0] <= last and covered([index for index in left if index > last], used | {slot})
            for slot, options in enumerate(slots)
            if slot not in used
            for first, last in options
        )

    return covered(content, frozenset())


def _is_chosen(choices: tuple[Choice, ...], place: Place, view: View) -> bool:
    if is_list(choices, view.text):
        return picked(choices, view.text) is not None
    if isinstance(place.schema, Enumerated) and is_pick(view.text):
        return True
    return any(_is_whole(choice, view) for choice in choices)


def _is_whole(choice: Choice, view: View) -> bool:
    """Whether a value that was said leaves no word of meaning over."""
    if choice.span is None or choice.source == "verbatim" or not choice.exact:
        return False
    first, last = view.within(choice.span)
    content = [index for index, means in enumerate(view.is_content) if means]
    return all(first <= index <= last for index in content)


def _choices(node: Node) -> Iterator[tuple[Choice, ...]]:
    return (leaf.choices for leaf in leaves(node) if isinstance(leaf, OneOf))
