"""The choices for one slot, scored, best first: from single values to lists and objects.

Joins the grammar's finite choices with the evidence for each. Nothing of functions' rivalry
or of the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, islice
from math import exp, log

from constrained_du.grammar.grammar import AnyOf, Choice, Defined, Definitions, FreeText, Items, Members, Node, OneOf, Substring
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.picks import is_list, picked
from constrained_du.slots.places import Place, place
from constrained_du.slots.search import Assignments
from constrained_du.specs.schema import ListOf, Member, Record, Schema, Union, json_key
from constrained_du.text.lexicon import AND_OR, DETERMINERS
from constrained_du.types import JsonValue, Span

CLAUSE_SIGNS = frozenset(",，")
MAX_SPAN_WORDS = 12  # longest verbatim value that is scored; longer ones only from exemplars
MAX_DEPTH = 4  # of nested or recursive values that are filled
JOINS = AND_OR | frozenset(", ， 、".split())
QUOTED = frozenset("'\"’‘“”[]()")
BEFORE_ITEM = DETERMINERS | QUOTED | {"also", "some", "then", "maybe"}
ENUMERATED, MORE = 2.0, 1.0  # log odds of several values rather than one, where words count things up, and of each more
PICKED = 8.0  # log odds of what "the second one" points at in a list, and against the rest of it
MANY = 256  # values of an enum above which only those with a word in the utterance are scored


class _Free:
    """Stands for a value that is generated once the call is chosen."""

    def __repr__(self) -> str:
        return "FREE"


FREE = _Free()


@dataclass(frozen=True, slots=True)
class Filling:
    """A value for a slot; ``score`` is log odds against leaving the slot out.

    ``located`` are the spans it uses up; ``spans`` name them by path for the caller.
    """

    value: JsonValue
    score: float
    spans: tuple[tuple[str, Span], ...] = ()
    typed: bool = False
    """Whether what was said is of the slot's type: a candidate, a number, a time, a listed value."""

    @property
    def located(self) -> tuple[Span, ...]:
        return tuple(span for _, span in self.spans)


@dataclass(slots=True)
class Filler:
    """Fills slots of one function for one utterance."""

    evidence: SlotEvidence
    definitions: Definitions
    most: int

    def fillings(self, where: Place, node: Node, path: str, depth: int = 0) -> list[Filling]:
        """Best first, at most ``most``; values that are equal appear once, at their best."""
        found = self._of(where, node, path, depth)
        best: dict[tuple[str, tuple[Span, ...]], Filling] = {}
        for filling in found:
            key = (repr(filling.value) if filling.value is FREE else json_key(filling.value), filling.located)
            if key not in best or filling.score > best[key].score:
                best[key] = filling
        # Of equal ones said in one place the order in which the caller listed them does not decide.
        ranked = sorted(best.items(), key=lambda item: (-item[1].score, item[0][0] if item[0][1] else ""))
        return [filling for _, filling in ranked[: self.most]]

    def with_meaning(self, where: Place, found: Sequence[Filling]) -> list[Filling]:
        """The fillings of a slot after the embedder was asked about their spans, and about what other words mean."""
        added = [
            replace(f, score=f.score + self.evidence.role_score(where, f.spans[0][1])) if len(f.spans) == 1 else f for f in found
        ]
        sense = self.evidence.senses.get(where.name)
        if sense is not None:
            more = self.evidence.sense_score(where, sense)
            added = [
                replace(f, score=f.score + more) if f.value == sense.value else f for f in added
            ]  # its words may yet be a part of another value
        return sorted(added, key=lambda filling: -filling.score)

    def _of(self, where: Place, node: Node, path: str, depth: int) -> Iterable[Filling]:
        match node:
            case OneOf(choices):
                return self._listed(where, choices, path)
            case Substring():
                return self._verbatim(where, path)
            case FreeText():
                return [Filling(FREE, self._free_score(where))]
            case AnyOf(options):
                return [f for option in options for f in self.fillings(where, option, path, depth)]
            case Items():
                return self._items(where, node, path, depth) if depth < MAX_DEPTH else []
            case Members():
                return self._object(where, node, path, depth) if depth < MAX_DEPTH else []
            case Defined(name):
                return self.fillings(where, self.definitions[name], path, depth + 1) if depth < MAX_DEPTH else []

    def _free_score(self, where: Place) -> float:
        return 2.0 if where.required or where.name in self.evidence.expected else -1.0

    def _listed(self, where: Place, choices: tuple[Choice, ...], path: str) -> Iterator[Filling]:
        text = self.evidence.view.text
        chosen = picked(choices, text) if is_list(choices, text) else None
        listed = PICKED if is_list(choices, text) else 0.0
        for choice in self._worth_scoring(choices):
            score = self.evidence.score(where, choice) + (listed if choice is chosen else -listed)
            span, typed = choice.span, choice.source != "verbatim"
            if span is None:
                strength, span = self.evidence.mention(where, choice.value)
                typed = strength > 0.8
            yield Filling(choice.value, score, ((path, span),) if span is not None else (), typed)

    def _worth_scoring(self, choices: tuple[Choice, ...]) -> Iterable[Choice]:
        if len(choices) <= MANY:
            return choices
        words = set(self.evidence.view.words)
        text = "".join(self.evidence.view.words)
        said = [c for c in choices if c.span is not None or _is_said(str(c.value).casefold(), words, text)]
        rest = islice((c for c in choices if c.span is None), self.most)
        return [*said[: 4 * MANY], *(choice for choice in rest if choice not in said)]

    def _verbatim(self, where: Place, path: str) -> Iterator[Filling]:
        view = self.evidence.view
        for first, last in view.spans(MAX_SPAN_WORDS):
            span = view.span_of(first, last)
            choice = Choice(view.text[span.start : span.end], span, "verbatim")
            yield Filling(choice.value, self.evidence.score(where, choice), ((path, span),))

    # -- lists and objects ---------------------------------------------------------------

    def _items(self, where: Place, node: Items, path: str, depth: int) -> Iterator[Filling]:
        schema = where.schema if isinstance(where.schema, ListOf) else None
        if node.prefix:
            yield from self._tuple(where, node, path, depth)
            return
        if node.least == 0:
            yield Filling([], -6.0)
        if node.item is None or node.most == 0:
            return
        item_schema = schema.items if schema is not None and schema.items is not None else where.schema
        inner = Place(where.name, where.description, item_schema, where.required, where.contexts, where.share)
        items = self.fillings(inner, node.item, path, depth + 1)
        if isinstance(node.item, Substring):
            yield from self._counted_up(items, node, path)
            return
        for chosen in _lists(items, node):
            yield _listing(chosen, path)

    def _counted_up(self, items: Sequence[Filling], node: Items, path: str) -> Iterator[Filling]:
        """Lists of words: one item, what is counted up in one place, or what stands in quotes."""
        view = self.evidence.view
        for chosen in _lists([item for item in items if view.within(item.spans[0][1]) in view.quoted], node):
            yield _listing(chosen, path)
        for item in items:
            parts = self._parts(item)
            several = len(parts) > 1
            parts = _distinct(parts) if node.unique else parts
            if several and node.least <= len(parts) <= (node.most or len(parts)):
                yield replace(_listing(parts, path), score=item.score + ENUMERATED + MORE * (len(parts) - 2))
            if node.least <= 1:
                yield replace(_listing([item], path), score=item.score - (ENUMERATED if several else 0.0))

    def _parts(self, item: Filling) -> list[Filling]:
        """The parts of words that count things up: "tea", "milk" and "rice" of "tea, milk and rice"."""
        view = self.evidence.view
        [(path, span)] = item.spans
        first, last = view.within(span)
        runs = [self._bare(list(run)) for joins, run in groupby(range(first, last + 1), self._joins) if not joins]
        if not all(view.units[run[0]].may_border and view.units[run[-1]].may_border for run in runs):
            return []
        spans = (view.span_of(run[0], run[-1]) for run in runs)
        return [Filling(view.text[s.start : s.end], 0.0, ((path, s),)) for s in spans]

    def _bare(self, run: list[int]) -> list[int]:
        """The units of an item without its article and quotes: "the tray" is a "tray", "also some tea" is "tea"."""
        words = self.evidence.view.words
        while len(run) > 1 and words[run[-1]] in QUOTED:
            run = run[:-1]
        while len(run) > 1 and words[run[0]] in BEFORE_ITEM:
            run = run[1:]
        return run

    def _joins(self, index: int) -> bool:
        """Whether a unit stands between things that are counted up, and is no letter of a word: 和 in 茶和米, not in 和平. A
        comma parts clauses in scripts that have another sign for lists."""
        view = self.evidence.view
        if view.words[index] in CLAUSE_SIGNS and index > 0 and view.is_unspaced[index - 1]:
            return False
        return view.words[index] in JOINS and (not view.is_unspaced[index] or view.starts_phrase(index + 1))

    def _tuple(self, where: Place, node: Items, path: str, depth: int) -> Iterator[Filling]:
        fixed = node.prefix[: max(node.least, 1)]
        slots = [self.fillings(where, part, f"{path}[{i}]", depth + 1) for i, part in enumerate(fixed)]
        for chosen, _ in islice(Assignments(slots, required=True).best_first(), self.most):
            yield _listing([filling for filling in chosen if filling is not None], path)

    def _object(self, where: Place, node: Members, path: str, depth: int) -> Iterator[Filling]:
        known = {member.name: member for member in _members(where.schema)}
        required = {field.name for field in node.fields if field.required}
        slots = []
        for field in node.fields:
            member = known.get(field.name, Member(field.name, where.schema))
            inner = place(Member(member.name, member.schema, member.required, f"{where.description} {member.description}"))
            slots.append(self.fillings(inner, field.node, f"{path}.{field.name}", depth + 1))
        for chosen, score in islice(Assignments(slots).best_first(), self.most):
            value = {f.name: c.value for f, c in zip(node.fields, chosen, strict=True) if c is not None}
            if required <= value.keys() and len(value) >= node.least and not any(v is FREE for v in value.values()):
                spans = tuple(span for c in chosen if c is not None for span in c.spans)
                yield Filling(value, score - (4.0 if not value else 0.0), spans)


def share_of(fillings: Sequence[Filling], score: float) -> float:
    """The share in [0, 1] of a choice with this score among a slot's fillings and leaving it out."""
    total = 1.0 + sum(exp(min(50.0, filling.score)) for filling in fillings)
    return exp(min(50.0, score)) / total


def surprise(every: Iterable[Sequence[Filling]], chosen: Iterable[Filling | None], sharpness: float) -> float:
    """How surprising chosen fillings are slot by slot: the sum of −log of their shares, at most 12; their scores were
    multiplied by ``sharpness``."""
    shares = (
        share_of(own, 0.0 if filling is None else filling.score / sharpness) for own, filling in zip(every, chosen, strict=True)
    )
    return min(12.0, sum(-log(max(1e-9, share)) for share in shares))


def _members(schema: Schema) -> tuple[Member, ...]:
    match schema:
        case Record(members):
            return members
        case Union(options):
            return tuple(member for option in options for member in _members(option))
        case _:
            return ()


def _lists(items: list[Filling], node: Items) -> Iterator[list[Filling]]:
    """Lists worth considering: all that was said, in its order; single items; pairs."""
    most = node.most if node.most is not None else len(items) + 1
    said = sorted((f for f in _apart(items) if f.score > 0 and f.spans), key=lambda f: f.spans[0][1])
    said = _distinct(said) if node.unique else said
    if said and node.least <= len(said):
        yield said[:most]
    for size in range(max(1, node.least), min(3, most) + 1):
        for chosen in islice(combinations(items[:12], size), 64):
            if _are_apart(chosen) and not (node.unique and len(_distinct(list(chosen))) < size):
                yield sorted(chosen, key=lambda f: f.spans[0][1] if f.spans else Span(0, 0))


def _apart(items: Iterable[Filling]) -> list[Filling]:
    kept: list[Filling] = []
    for item in items:
        if not any(a.overlaps(b) for other in kept for a in other.located for b in item.located):
            kept.append(item)
    return kept


def _are_apart(items: Iterable[Filling]) -> bool:
    chosen = list(items)
    return len(_apart(chosen)) == len(chosen)


def _distinct(items: list[Filling]) -> list[Filling]:
    """Each value once, where it was said first."""
    found: dict[str, Filling] = {}
    for item in items:
        found.setdefault(json_key(item.value), item)
    return list(found.values())


def _listing(chosen: list[Filling], path: str) -> Filling:
    spans = tuple(
        (f"{path}[{index}]{name[len(path):]}" if not name.startswith(f"{path}[") else name, span)
        for index, filling in enumerate(chosen)
        for name, span in filling.spans
    )
    typed = all(filling.typed for filling in chosen)
    return Filling([filling.value for filling in chosen], sum(filling.score for filling in chosen), spans, typed)


def _is_said(value: str, words: set[str], text: str) -> bool:
    """A cheap look before the real one: all words of the value are in the utterance."""
    parts = value.split()
    return all(part in words for part in parts) or (len(value) > 1 and value.replace(" ", "") in text)
