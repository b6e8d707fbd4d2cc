"""The one grammar value: which calls are sayable here, value by value.

A frozen tree made from specs and candidates; everything else (GBNF, regex, Lark, the
finite choices that are scored, the verdict of ``accepts``) is derived from it. Knows JSON
values and code points; nothing of tokens, models or how the text of a call is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from constrained_du.patterns.automata import Automaton
from constrained_du.specs.schema import json_key, same_json
from constrained_du.text.words import boundaries, occurrences
from constrained_du.types import DO_NOT_UNDERSTAND, JsonValue, Span, compact_json


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that may be said, and the words it was taken from (None: from the spec alone).

    ``source`` is where it comes from: ``enum``, ``entity``, ``recognizer``, ``number``,
    ``time``, ``verbatim``, or ``free``. ``exact`` is False for fuzzy recognizer matches.
    """

    value: JsonValue
    span: Span | None = None
    source: str = "enum"
    exact: bool = True


@dataclass(frozen=True)
class OneOf:
    """A finite list of choices; two may share a value and differ in span."""

    choices: tuple[Choice, ...]

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(json_key(choice.value) for choice in self.choices)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each value once, as it is written; of equal ones (``1``, ``1.0``) the first."""
        found: dict[str, str] = {}
        for choice in self.choices:
            found.setdefault(json_key(choice.value), compact_json(choice.value))
        return tuple(found.values())

    @cached_property
    def written(self) -> frozenset[str]:
        return frozenset(self.texts)

    def admits(self, value: JsonValue, _: Definitions) -> bool:
        return json_key(value) in self.keys


@dataclass(frozen=True)
class Substring:
    """Any span of the utterance between two word boundaries."""

    text: str

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """All spans, longest first among those with one start. Quadratic: short texts only."""
        starts, ends = boundaries(self.text)
        return tuple(Span(start, end) for start in starts for end in reversed(ends) if end > start)

    def admits(self, value: JsonValue, _: Definitions) -> bool:
        if not isinstance(value, str):
            return False
        starts, ends = map(frozenset, boundaries(self.text))
        return any(at in starts and at + len(value) in ends for at in occurrences(self.text, value))


@dataclass(frozen=True)
class FreeText:
    """Any text of ``least`` to ``most`` code points (that ``automaton`` accepts, if given)."""

    least: int
    most: int
    automaton: Automaton | None = None

    def admits(self, value: JsonValue, _: Definitions) -> bool:
        if not isinstance(value, str) or not self.least <= len(value) <= self.most:
            return False
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            return False
        return self.automaton is None or self.automaton.accepts(value)


@dataclass(frozen=True)
class Items:
    """A list: ``prefix`` in order, then any number of ``item``; ``most`` None is unbounded."""

    prefix: tuple[Node, ...]
    item: Node | None
    least: int = 0
    most: int | None = None
    unique: bool = False

    def admits(self, value: JsonValue, definitions: Definitions) -> bool:
        if not isinstance(value, list) or len(value) < self.least:
            return False
        if self.most is not None and len(value) > self.most:
            return False
        if self.unique and len({json_key(item) for item in value}) < len(value):
            return False
        return all(node is not None and node.admits(part, definitions) for node, part in self.pairs(value))

    def pairs(self, value: Sequence[JsonValue]) -> Iterator[tuple[Node | None, JsonValue]]:
        """Each value with the node of its place."""
        nodes = [*self.prefix[: len(value)], *[self.item] * (len(value) - len(self.prefix))]
        return zip(nodes, value, strict=True)


@dataclass(frozen=True)
class Field:
    name: str
    node: Node
    required: bool


@dataclass(frozen=True)
class Members:
    """An object: any subset of the fields that holds the required ones, in this order."""

    fields: tuple[Field, ...]
    least: int = 0

    def admits(self, value: JsonValue, definitions: Definitions) -> bool:
        if not isinstance(value, dict) or len(value) < self.least:
            return False
        known = {field.name: field for field in self.fields}
        return (
            all(name in known and known[name].node.admits(item, definitions) for name, item in value.items())
            and all(field.name in value for field in self.fields if field.required)
        )


@dataclass(frozen=True)
class AnyOf:
    options: tuple[Node, ...]

    def admits(self, value: JsonValue, definitions: Definitions) -> bool:
        return any(option.admits(value, definitions) for option in self.options)


@dataclass(frozen=True)
class Defined:
    """A recursive node, by name."""

    name: str

    def admits(self, value: JsonValue, definitions: Definitions) -> bool:
        return definitions[self.name].admits(value, definitions)


Node = OneOf | Substring | FreeText | Items | Members | AnyOf | Defined
Definitions = Mapping[str, Node]


@dataclass(frozen=True)
class CallGrammar:
    """The calls of one function: its label and its slots, none of them required.

    A required slot that was not said is *missing*, so presence is never forced. Where the
    slots depend on each other, ``branches`` hold what is sayable together, and ``slots`` each
    slot for itself.
    """

    label: str
    slots: Members
    definitions: Definitions = field(default_factory=dict)
    branches: tuple[Members, ...] = ()

    @cached_property
    def body(self) -> Node:
        """The arguments as one node."""
        return AnyOf(self.branches) if len(self.branches) > 1 else (*self.branches, self.slots)[0]

    def around(self, arguments: JsonValue) -> Members:
        """The slots beside which these arguments may stand."""
        fitting = (branch for branch in self.branches if branch.admits(arguments, self.definitions))
        return next(fitting, self.slots)

    def admits(self, arguments: JsonValue) -> bool:
        return self.body.admits(arguments, self.definitions)


@dataclass(frozen=True)
class Grammar:
    """All answers that are sayable for one utterance: the calls, and the ``fallback`` unless it is ruled out."""

    calls: tuple[CallGrammar, ...]
    max_calls: int = 1
    fallback: bool = True

    @cached_property
    def by_label(self) -> Mapping[str, CallGrammar]:
        fallback = {DO_NOT_UNDERSTAND: CallGrammar(DO_NOT_UNDERSTAND, Members(()))} if self.fallback else {}
        return {**fallback, **{call.label: call for call in self.calls}}

    def admits(self, name: str, arguments: JsonValue) -> bool:
        call = self.by_label.get(name)
        return call is not None and call.admits(arguments)


def fillable(definitions: Definitions) -> frozenset[str]:
    """The definitions for which some value is sayable."""
    full: frozenset[str] = frozenset()
    while True:
        found = full | {name for name, node in definitions.items() if name not in full and not is_void(node, full)}
        if found == full:
            return full
        full = found


def is_void(node: Node, full: Collection[str]) -> bool:
    """Whether no value at all is sayable (no candidate, say); ``full`` as ``fillable`` gives it."""
    match node:
        case OneOf(choices):
            return not choices
        case Substring(text):
            return not any(boundaries(text))
        case FreeText(least, most, automaton):
            return least > most or (automaton is not None and automaton.is_empty)
        case Items(prefix, item, least, most, unique):
            if most is not None and least > most:
                return True
            if unique and not prefix and isinstance(item, OneOf) and len(item.keys) < least:
                return True
            needed = [*prefix[:least], *([item] if least > len(prefix) else [])]
            return any(n is None or is_void(n, full) for n in needed)
        case Members(fields, least):
            said = [field for field in fields if not is_void(field.node, full)]
            return len(said) < least or any(f.required and f not in said for f in fields)
        case AnyOf(options):
            return all(is_void(option, full) for option in options)
        case Defined(name):
            return name not in full


def choices_in(node: Node) -> Iterator[Choice]:
    """The finite choices at the leaves of a node; references are not followed."""
    match node:
        case OneOf(choices):
            yield from choices
        case Items(prefix, item):
            for inner in (*prefix, *([item] if item is not None else [])):
                yield from choices_in(inner)
        case Members(fields):
            for member in fields:
                yield from choices_in(member.node)
        case AnyOf(options):
            for option in options:
                yield from choices_in(option)


__all__ = [
    "AnyOf", "CallGrammar", "Choice", "Defined", "Definitions", "Field", "FreeText", "Grammar", "Items",
    "Members", "Node", "OneOf", "Substring", "choices_in", "fillable", "is_void", "same_json",
]  # fmt: skip
