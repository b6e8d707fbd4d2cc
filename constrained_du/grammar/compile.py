"""Spec + utterance + candidates → the grammar of what is sayable.

The one place where slots meet what was said. Nothing is invented: a value comes from the
spec, from a candidate, or from the utterance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from constrained_du.errors import GrammarError
from constrained_du.grammar.candidates import Candidates
from constrained_du.grammar.grammar import (
    AnyOf,
    CallGrammar,
    Choice,
    Defined,
    Field,
    FreeText,
    Items,
    Members,
    Node,
    OneOf,
    Substring,
)  # fmt: skip
from constrained_du.patterns.patterns import PatternError, bounded_automaton, compiled
from constrained_du.recognizers.formats import find_formats
from constrained_du.recognizers.lists import Recognizer
from constrained_du.recognizers.numbers import find_numbers
from constrained_du.recognizers.times import TimeKind, find_times
from constrained_du.specs.instances import Instance, label_slot, value_slots
from constrained_du.specs.schema import (
    FORMATS,
    MAX_FREE_STATES,
    MAX_TEXT,
    TIME_FORMATS,
    Boolean,
    Entity,
    Enumerated,
    ListOf,
    Null,
    Number,
    Record,
    Reference,
    Schema,
    SlotLabel,
    Text,
    Union,
    json_key,
)  # fmt: skip
from constrained_du.specs.spec import Function
from constrained_du.specs.tenses import is_past
from constrained_du.text.words import boundaries
from constrained_du.types import JsonValue, Span

MAX_SPANS = 200_000  # constrained spans of one utterance; 600 words have 180,000


@dataclass(frozen=True, slots=True)
class Ontology:
    """What is known beside the functions: recognizers by type, and the types of plain slots."""

    recognizers: Mapping[str, Recognizer] = field(default_factory=dict)
    slot_types: Mapping[str, str] = field(default_factory=dict)
    slots: tuple[Instance, ...] = ()
    """The slots that a ``slot_label`` may name."""

    @property
    def slot_labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(instance.label for instance in self.slots))

    def type_of(self, keys: Iterable[str]) -> str | None:
        return next((self.slot_types[key] for key in keys if key in self.slot_types), None)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: the names under which callers may give candidates for it."""

    function: str
    path: tuple[str, ...]
    also: tuple[str, ...] = ()
    """Keys that go before its own: of the slot that holds another slot's value."""
    past: bool = False
    """Whether its times have passed."""

    def inside(self, name: str) -> _Place:
        return _Place(self.function, (*self.path, name), past=self.past)

    @property
    def keys(self) -> tuple[str, ...]:
        """The most specific first."""
        dotted = ".".join(self.path)
        names = (f"{self.function}.{dotted}", dotted, self.path[-1] if self.path else "")
        return tuple(dict.fromkeys(name for name in (*self.also, *names) if name))


@dataclass(slots=True)
class Binder:
    """Binds functions to one utterance; what is found in the utterance is found once."""

    utterance: str
    candidates: Candidates = Candidates()
    ontology: Ontology = Ontology()
    now: datetime | None = None
    _found: dict[str, tuple[Choice, ...]] = field(default_factory=dict)

    def bind(self, function: Function) -> CallGrammar:
        fields = tuple(
            Field(slot.name, self._node(slot.schema, _Place(function.label, (slot.name,), past=is_past(slot))), False)
            for slot in function.slots
        )
        branches = self._branches(function, fields)
        if branches:
            apart = zip(*(branch.fields for branch in branches), strict=True)
            fields = tuple(Field(own[0].name, self._either(field.node for field in own), False) for own in apart)
        definitions = {
            pointer: self._node(schema, _Place(function.label, ()))
            for pointer, schema in function.definitions.items()
        }
        return CallGrammar(function.label, Members(fields), definitions, branches)

    def _branches(self, function: Function, fields: tuple[Field, ...]) -> tuple[Members, ...]:
        """Where slots hold values of other slots: one branch for the labels of those with equal values."""
        values, named = value_slots(function), label_slot(function)
        if not values:
            return ()
        grouped: dict[str, tuple[dict[str, Node], list[str]]] = {}
        for instance in self.ontology.slots:
            nodes = {value: self._value(function.label, value, instance) for value in values}
            grouped.setdefault(repr(nodes), (nodes, []))[1].append(instance.label)
        return tuple(
            Members(tuple(
                Field(field.name, self._among(field.node, labels) if field.name == named
                      else nodes.get(field.name, field.node), False)
                for field in fields
            ))
            for nodes, labels in grouped.values()
        )  # fmt: skip

    def _value(self, function: str, slot: str, instance: Instance) -> Node:
        """The values of another slot, as a slot of this function may hold them."""
        if not instance.is_sayable:
            return OneOf(())
        own = _Place(function, (slot,)).keys
        return self._node(instance.member.schema, _Place(instance.owner, (instance.label,), own))

    @staticmethod
    def _among(node: Node, labels: Collection[str]) -> Node:
        assert isinstance(node, OneOf)
        return OneOf(tuple(choice for choice in node.choices if choice.value in labels))

    def _either(self, nodes: Iterable[Node]) -> Node:
        """Any of the nodes, equal ones once."""
        apart = tuple({repr(node): node for node in nodes}.values())
        return apart[0] if len(apart) == 1 else self._union(apart)

    def _node(self, schema: Schema, place: _Place) -> Node:
        match schema:
            case ListOf():
                return self._items(schema, place)
            case Record(members, least):
                fields = (Field(m.name, self._node(m.schema, place.inside(m.name)), m.required) for m in members)
                return Members(tuple(fields), least)
            case Union(options):
                return self._union(tuple(self._node(option, place) for option in options))
            case Reference(pointer):
                return Defined(pointer)
            case _:
                return self._leaf(schema, place)

    def _items(self, schema: ListOf, place: _Place) -> Items:
        item = None if schema.items is None else self._node(schema.items, place)
        prefix = tuple(self._node(part, place) for part in schema.prefix)
        return Items(prefix, item, schema.min_items, schema.max_items, schema.unique)

    @staticmethod
    def _union(options: tuple[Node, ...]) -> Node:
        """Finite options become one list, so that they are scored against each other."""
        finite = [option for option in options if isinstance(option, OneOf)]
        others = tuple(option for option in options if not isinstance(option, OneOf))
        choices = (choice for option in finite for choice in option.choices)
        merged = OneOf(tuple({(json_key(choice.value), choice.span): choice for choice in choices}.values()))
        if not others:
            return merged
        return AnyOf((merged, *others)) if finite else AnyOf(others)

    def _leaf(self, schema: Schema, place: _Place) -> Node:
        given = self.candidates.get([*place.keys, *type_names(schema)])
        custom = self.ontology.type_of(place.keys) if isinstance(schema, Text) else None
        if given is None and custom is not None:
            return self._leaf(Entity(custom), place)
        if given is not None:
            return OneOf(tuple(fit for choice in given for fit in self._fitting(schema, choice)))
        match schema:
            case Enumerated(values):
                return OneOf(tuple(Choice(value) for value in values))
            case Boolean():
                return OneOf((Choice(True), Choice(False)))
            case Null():
                return OneOf((Choice(None),))
            case SlotLabel():
                return OneOf(tuple(Choice(label) for label in self.ontology.slot_labels))
            case Number():
                return OneOf(tuple(c for c in self._numbers() if schema.admits(c.value)))
            case Entity(kind):
                return OneOf(self.recognized(kind))
            case Text(format=str() as kind):
                return OneOf(tuple(c for c in self._formatted(kind, place.past) if schema.admits(c.value)))
            case Text(free=True):
                return _free(schema, place)
            case Text() if schema.is_plain:
                return Substring(self.utterance)
            case Text():
                return OneOf(tuple(self._spans(schema)))
            case _:
                raise AssertionError(schema)

    # -- what the utterance holds ------------------------------------------------------

    def _once(self, key: str, find: Callable[[], Iterable[Choice]]) -> tuple[Choice, ...]:
        if key not in self._found:
            self._found[key] = tuple(find())
        return self._found[key]

    def _numbers(self) -> tuple[Choice, ...]:
        return self._once("number", lambda: (
            Choice(found.value, Span(found.start, found.end), "number") for found in find_numbers(self.utterance)
        ))  # fmt: skip

    def _formatted(self, kind: str, past: bool) -> tuple[Choice, ...]:
        if kind in TIME_FORMATS:
            times: TimeKind = kind  # type: ignore[assignment]
            return self._once(f"{kind} past" if past else kind, lambda: (
                Choice(found.value, Span(found.start, found.end), "time")
                for found in find_times(self.utterance, times, self.now, past)
            ))  # fmt: skip
        return self._once(kind, lambda: (
            Choice(self.utterance[start:end], Span(start, end), "verbatim")
            for start, end in find_formats(self.utterance, kind)
        ))  # fmt: skip

    def recognized(self, kind: str) -> tuple[Choice, ...]:
        """What the recognizer of a type finds in the utterance."""
        recognizer = self.ontology.recognizers.get(kind)
        if recognizer is None:
            return ()
        return self._once(f"type {kind}", lambda: (
            Choice(found.value, Span(found.start, found.end), "recognizer", found.exact)
            for found in recognizer.find(self.utterance)
        ))  # fmt: skip

    def _spans(self, schema: Text) -> Iterable[Choice]:
        """The spans that fit a length or a pattern."""
        starts, ends = boundaries(self.utterance)
        legal, count = frozenset(ends), 0
        for start in starts:
            matched = self._ends(schema, start, legal)
            count += len(matched)
            if count > MAX_SPANS:
                raise GrammarError(f"more than {MAX_SPANS} spans of the utterance fit one slot - shorten the utterance")
            yield from (Choice(self.utterance[start:end], Span(start, end), "verbatim") for end in reversed(matched))

    def _ends(self, schema: Text, start: int, legal: frozenset[int]) -> list[int]:
        last = len(self.utterance) if schema.max_length is None else start + schema.max_length
        first = start + max(1, schema.min_length)
        ends = [end for end in sorted(legal) if first <= end <= last]
        for pattern in schema.patterns:
            matching = frozenset(compiled(pattern).ends(self.utterance[:last], start))
            ends = [end for end in ends if end in matching]
        return ends

    # -- candidates of the caller ------------------------------------------------------

    def _fitting(self, schema: Schema, choice: Choice) -> Iterable[Choice]:
        """The candidate as a value of this slot, if it can be one."""
        for value in self._readings(schema, choice):
            yield choice if value is choice.value else Choice(value, choice.span, choice.source, choice.exact)

    def _readings(self, schema: Schema, choice: Choice) -> Iterable[JsonValue]:
        value = choice.value
        surface = choice.span is not None and value == self.utterance[choice.span.start : choice.span.end]
        match schema:
            case Enumerated(values):
                exact = [legal for legal in values if json_key(legal) == json_key(value)]
                folded = [legal for legal in values if surface and _folded(legal) == _folded(value)]
                return exact or folded
            case Boolean():
                return [value] if isinstance(value, bool) else []
            case Number():
                read = [found.value for found in find_numbers(value)] if isinstance(value, str) else [value]
                return [number for number in read[:1] if len(read) == 1 and schema.admits(number)]
            case Text(format=str() as kind) if surface and kind in TIME_FORMATS and isinstance(value, str):
                times: TimeKind = kind  # type: ignore[assignment]
                found = [t.value for t in find_times(value, times, self.now) if t.end - t.start == len(value)]
                return found[:1] or [value]
            case Text():
                return [value] if isinstance(value, str) and schema.admits(value) else []
            case Null():
                return []
            case SlotLabel():
                return [value] if value in self.ontology.slot_labels else []
            case _:
                return [value]


def type_names(schema: Schema) -> tuple[str, ...]:
    """The slot types under which entities may be given for such a value."""
    match schema:
        case Entity(kind):
            return (kind,)
        case Text(format=str() as kind):
            return (kind, "string")
        case Text():
            return ("string",)
        case Number(integer):
            return ("integer",) if integer else ("number",)
        case Boolean():
            return ("boolean",)
        case _:
            return ()


def slot_keys(function: str, slot: str, schema: Schema) -> tuple[str, ...]:
    """The keys under which entities may be given for a slot, the most specific first."""
    return (*_Place(function, (slot,)).keys, *type_names(schema))


def entity_keys(functions: Iterable[Function]) -> frozenset[str]:
    """Every key that ``entities`` may have for these functions."""
    keys: set[str] = set()

    def visit(schema: Schema, place: _Place) -> None:
        keys.update(place.keys, type_names(schema))
        match schema:
            case Record(members):
                for member in members:
                    visit(member.schema, place.inside(member.name))
            case ListOf(prefix, items):
                for part in (*prefix, *(() if items is None else (items,))):
                    visit(part, place)
            case Union(options):
                for option in options:
                    visit(option, place)

    for function in functions:
        visit(function.record, _Place(function.label, ()))
        for schema in function.definitions.values():
            visit(schema, _Place(function.label, ()))
    return frozenset(keys)


def _free(schema: Text, place: _Place) -> FreeText:
    most = MAX_TEXT if schema.max_length is None else schema.max_length
    if not schema.patterns:
        return FreeText(schema.min_length, most)
    try:
        automaton = bounded_automaton(schema.patterns, schema.min_length, most, MAX_FREE_STATES)
    except PatternError as problem:
        raise GrammarError(f"{place.keys[0]}: {problem}") from None
    return FreeText(schema.min_length, most, automaton)


def _folded(value: JsonValue) -> str:
    return str(value).casefold().replace("_", " ").strip()


assert set(TIME_FORMATS) <= set(FORMATS)
