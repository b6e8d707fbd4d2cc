"""Utterances that equal an exemplar: the hot-fix that cannot fail.

Case, spacing, width and final punctuation aside, an utterance that an exemplar's template
matches yields that function and those slots. Where a slot takes any words, a template may
match in several ways, and several templates may match: then they are evidence, and only
what leaves no doubt decides. Knows templates and choices; no models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from constrained_du.grammar.grammar import AnyOf, CallGrammar, Choice, Items, Members, Node, OneOf, Substring
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import Exemplar, SlotMark
from constrained_du.text.lexicon import DETERMINERS, words_of
from constrained_du.text.terms import normalised
from constrained_du.text.words import SENTENCE_PUNCTUATION, atoms
from constrained_du.types import Span

MAX_STEPS = 20_000  # of one match; beyond, the template is too ambiguous to be a fix
MOST_WAYS = 48  # in which one template is matched; two are too many to decide


@dataclass(frozen=True, slots=True)
class Match:
    """An exemplar that the utterance equals, with the choice for each of its slots."""

    exemplar: Exemplar
    choices: Mapping[str, tuple[Choice, ...]]
    literal: int
    """Letters that stand in the template itself: more is more specific."""
    is_open: bool = False
    """Whether a slot of it was matched by words that nothing but the template singles out."""
    is_loose: bool = False
    """Whether not even the template does: open slots side by side, or words without content."""

    @property
    def located(self) -> tuple[tuple[str, Span], ...]:
        return tuple((slot, c.span) for slot, choices in self.choices.items() for c in choices if c.span is not None)

    @property
    def answer(self) -> tuple[object, ...]:
        """What it says: equal for matches that say the same."""
        return (self.exemplar.function, sorted((s, repr([c.value for c in own])) for s, own in self.choices.items()))


def settled(matches: Sequence[Match]) -> Match | None:
    """The match that decides: the first without open slots, or the one thing that the most
    specific of the others say."""
    positive = [match for match in matches if match.exemplar.mode != "negative"]
    closed = [match for match in positive if not match.is_open]
    if closed or not positive:
        return closed[0] if closed else None
    most = max(match.literal for match in positive)
    first, *rest = (match for match in positive if match.literal == most)
    clear = not first.is_loose and all(match.answer == first.answer for match in rest)
    return first if clear else None


def resemblances(matches: Iterable[Match], function: str, letters: int) -> dict[tuple[str, Span], float]:
    """For a function's slots and spans in the matches: the largest share of the utterance's ``letters`` that
    a template with them says itself."""
    found: dict[tuple[str, Span], float] = {}
    for match in matches:
        if match.exemplar.function == function and match.exemplar.mode != "negative" and not match.is_loose:
            for place in match.located:
                found[place] = max(match.literal / letters, found.get(place, 0.0))
    return found


@dataclass(frozen=True, slots=True)
class Template:
    """An exemplar as the words it is matched by; a slot mark stands for itself."""

    exemplar: Exemplar
    units: tuple[str | SlotMark, ...]

    @property
    def first_word(self) -> str | None:
        return self.units[0] if self.units and isinstance(self.units[0], str) else None

    @property
    def literal(self) -> int:
        return sum(len(unit) for unit in self.units if isinstance(unit, str))


def template(exemplar: Exemplar) -> Template:
    units: list[str | SlotMark] = []
    for part in exemplar.parts:
        if isinstance(part, SlotMark):
            units.append(part)
        else:
            units.extend(normalised(atom.text) for atom in atoms(part) if atom.kind != "blank")
    while units and isinstance(units[-1], str) and units[-1] in SENTENCE_PUNCTUATION:
        units.pop()
    return Template(exemplar, tuple(units))


@dataclass(frozen=True)
class TemplateIndex:
    """Templates by their first word, so that thousands cost a request nothing."""

    by_word: Mapping[str, tuple[Template, ...]]
    open: tuple[Template, ...]

    @classmethod
    def of(cls, exemplars: Iterable[Exemplar]) -> TemplateIndex:
        by_word: dict[str, list[Template]] = {}
        starting_open: list[Template] = []
        for made in map(template, exemplars):
            if made.literal == 0:
                continue  # a template of slots alone would match everything
            (by_word.setdefault(made.first_word, []) if made.first_word is not None else starting_open).append(made)
        return cls({word: tuple(found) for word, found in by_word.items()}, tuple(starting_open))

    def matches(
        self, view: View, allowed: Mapping[str, int], grammar_of: Callable[[int], CallGrammar]
    ) -> list[Match]:
        """All matches with the functions ``allowed`` (index by label), the most specific first.

        Ties go in the order of the exemplars; grammars are bound for candidates only.
        """
        words = [(i, w) for i, w in enumerate(view.words)]
        while words and words[-1][1] in SENTENCE_PUNCTUATION:
            words.pop()
        if not words:
            return []
        candidates = (*self.by_word.get(words[0][1], ()), *self.open)
        found = [
            match
            for candidate in candidates
            if (index := allowed.get(candidate.exemplar.function)) is not None
            for match in _matches(candidate, view, len(words), grammar_of(index))
        ]
        return sorted(found, key=lambda match: (len(match.choices), -match.literal))


@dataclass(slots=True)
class _Search:
    template: Template
    view: View
    count: int
    starts: Mapping[str, Mapping[int, Sequence[tuple[int, Choice]]]]
    open: frozenset[str]
    steps: int = 0

    def run(self, unit: int, word: int) -> Iterator[list[tuple[str, Choice]]]:
        """The ways to match the units from here, supplied values before open words."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            return
        if unit == len(self.template.units):
            if word == self.count:
                yield []
            return
        wanted = self.template.units[unit]
        if isinstance(wanted, str):
            if word < self.count and self.view.words[word] == wanted:
                yield from self.run(unit + 1, word + 1)
        elif word < self.count:
            for end, choice in self.options(wanted.name, word):
                for rest in self.run(unit + 1, end + 1):
                    yield [(wanted.name, choice), *rest]

    def options(self, slot: str, word: int) -> Iterable[tuple[int, Choice]]:
        yield from self.starts.get(slot, {}).get(word, ())
        if slot in self.open and self.view.units[word].may_border:
            for end in range(word, self.count):
                if self.view.units[end].may_border:
                    span = self.view.span_of(word, end)
                    yield end, Choice(self.view.text[span.start : span.end], span, "verbatim")


def _matches(candidate: Template, view: View, count: int, grammar: CallGrammar) -> list[Match]:
    found = (_matches_with(candidate, view, count, grammar, slots) for slots in grammar.branches or (grammar.slots,))
    return next((matches for matches in found if matches), [])


def _matches_with(candidate: Template, view: View, count: int, grammar: CallGrammar, slots: Members) -> list[Match]:
    """The ways in which a template is matched; the first alone, if supplied values match it."""
    nodes = {field.name: field.node for field in slots.fields}
    starts: dict[str, dict[int, list[tuple[int, Choice]]]] = {}
    open_slots: set[str] = set()
    for name in candidate.exemplar.slots:
        for leaf in leaves(nodes[name]):
            if isinstance(leaf, Substring):
                open_slots.add(name)
                continue
            for choice in leaf.choices:
                for first, last in _places(choice, view):
                    starts.setdefault(name, {}).setdefault(first, []).append((last, choice))
    for by_start in starts.values():
        for ends in by_start.values():
            ends.sort(key=lambda item: -item[0])
    matches: list[Match] = []
    for found in islice(_Search(candidate, view, count, starts, frozenset(open_slots)).run(0, 0), MOST_WAYS):
        choices: dict[str, tuple[Choice, ...]] = {}
        for name, choice in found:
            choices[name] = (*choices.get(name, ()), choice)
        is_open = any(choice.source == "verbatim" for _, choice in found)
        is_loose = is_open and _is_loose(candidate, [choice for _, choice in found], view)
        for name, value in candidate.exemplar.arguments.items():
            if name in nodes and nodes[name].admits(value, grammar.definitions):
                choices.setdefault(name, (Choice(value, None, "enum"),))
        matches.append(Match(candidate.exemplar, choices, candidate.literal, is_open, is_loose))
        if not is_open:
            break
    return matches


def _is_loose(candidate: Template, chosen: Sequence[Choice], view: View) -> bool:
    """``chosen`` are the choices of the template's marks, in order."""
    choices = iter(chosen)
    opens = [isinstance(unit, SlotMark) and next(choices).source == "verbatim" for unit in candidate.units]
    spans = [choice.span for choice in chosen if choice.source == "verbatim" and choice.span is not None]
    ranges = [view.within(span) for span in spans]
    empty = any(set(view.words[first : last + 1]) <= DETERMINERS for first, last in ranges)
    return empty or any(a and b for a, b in pairwise(opens))


def leaves(node: Node) -> Iterable[OneOf | Substring]:
    """The choices and open texts that may stand for a slot, those of its items included."""
    match node:
        case OneOf() | Substring():
            yield node
        case AnyOf(options):
            for option in options:
                yield from leaves(option)
        case Items(_, item) if item is not None:
            yield from leaves(item)
        case Members() | _:
            return


def located(grammar: CallGrammar) -> dict[str, tuple[Span, ...]]:
    """Where the candidates of each slot stand that were supplied or recognised."""
    return {
        field.name: tuple(dict.fromkeys(
            choice.span for leaf in leaves(field.node) if isinstance(leaf, OneOf) for choice in leaf.choices
            if choice.span is not None and choice.source in ("entity", "recognizer")
        ))
        for field in grammar.slots.fields
    }  # fmt: skip


def _places(choice: Choice, view: View) -> Iterable[tuple[int, int]]:
    """Where a choice stands in the utterance, as first and last word."""
    if choice.span is not None:
        first, last = view.within(choice.span)
        if Span(view.units[first].start, view.units[last].end) == choice.span:
            yield first, last
        return
    wanted = [normalised(atom.text) for atom in atoms(str(choice.value)) if atom.kind != "blank"]
    if isinstance(choice.value, bool) or choice.value is None or not wanted:
        return
    words = list(view.words)
    for phrase in dict.fromkeys((tuple(wanted), words_of(str(choice.value)))):
        for at in range(len(words) - len(phrase) + 1 if phrase else 0):
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield at, at + len(phrase) - 1
