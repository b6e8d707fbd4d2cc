"""Everything a developer has said: functions, exemplars, recognizers, and what follows from them.

Frozen; made once, read by every request. Holds no model and no state of a request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from constrained_du.decoding.prompt import summary
from constrained_du.domain.deeds import Deed
from constrained_du.domain.matching import TemplateIndex
from constrained_du.grammar.compile import Ontology, entity_keys
from constrained_du.recognizers.lists import Recognizer
from constrained_du.slots.places import Place, Shape, places, shapes, spares, with_kin
from constrained_du.slots.senses import has_senses
from constrained_du.specs.exemplars import Exemplar
from constrained_du.specs.instances import CONVERSATION, instances, surfaces
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import stem
from constrained_du.text.opposites import Sides, actuates, begins, is_end, one_and_all, sides, tells_state
from constrained_du.text.terms import normalised
from constrained_du.text.words import atoms, is_unspaced

USUAL = 0.25  # share of the exemplars with a word from which it is about the function as a whole


@dataclass(frozen=True)
class Domain:
    """Functions in spec order, with their exemplars and recognizers."""

    functions: tuple[Function, ...] = ()
    exemplars: tuple[Exemplar, ...] = ()
    recognizers: Mapping[str, Recognizer] = field(default_factory=dict)
    slot_types: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_label(self) -> Mapping[str, Function]:
        return {function.label: function for function in self.functions}

    @cached_property
    def index(self) -> Mapping[str, int]:
        return {function.label: number for number, function in enumerate(self.functions)}

    @cached_property
    def slots_of(self) -> Mapping[str, frozenset[str]]:
        return {function.label: frozenset(function.slot) for function in self.functions}

    @cached_property
    def ontology(self) -> Ontology:
        return Ontology(self.recognizers, self.slot_types, instances(self.functions))

    @cached_property
    def entity_keys(self) -> frozenset[str]:
        return entity_keys(self.functions) | frozenset(self.recognizers) | frozenset(self.slot_types.values())

    @cached_property
    def built_in(self) -> frozenset[int]:
        """The conversation functions that came with the package."""
        return frozenset(i for i, function in enumerate(self.functions) if CONVERSATION in function.extras)

    @cached_property
    def templates(self) -> TemplateIndex:
        return TemplateIndex.of(self.exemplars)

    @cached_property
    def names(self) -> TemplateIndex:
        """The developer's functions that need no slot, as if their names were exemplars."""
        plain = (f for f in self.functions if CONVERSATION not in f.extras and not any(slot.required for slot in f.slots))
        called = {(f.label, name): None for f in plain for name in (*f.names, f.label.replace("_", " "))}
        return TemplateIndex.of(Exemplar(label, (name,)) for label, name in called)

    @cached_property
    def exemplars_of(self) -> Mapping[str, tuple[Exemplar, ...]]:
        grouped: dict[str, list[Exemplar]] = {}
        for exemplar in self.exemplars:
            grouped.setdefault(exemplar.function, []).append(exemplar)
        return {label: tuple(own) for label, own in grouped.items()}

    @cached_property
    def places(self) -> Mapping[str, Mapping[str, Place]]:
        """For each function its slots as evidence sees them."""
        named = surfaces(self.ontology.slots)
        return with_kin({f.label: places(f, self.exemplars_of.get(f.label, ()), named) for f in self.functions})

    @cached_property
    def spares(self) -> Mapping[str, Mapping[str, str]]:
        """For each function its slots that stand in for another one, and which."""
        return {f.label: spares(self.places[f.label].values()) for f in self.functions}

    @cached_property
    def readable(self) -> tuple[int, ...]:
        """The developer's functions with slots, described in a script with spaces: a taught model may read for them."""
        return tuple(
            index for index, f in enumerate(self.functions)
            if f.slots and CONVERSATION not in f.extras and not any(map(is_unspaced, summary(f)))
        )

    @cached_property
    def sides(self) -> tuple[Sides, ...]:
        """For each function which of two opposite actions it names."""
        return tuple(sides(f"{function.label.replace('_', ' ')} {summary(function)}") for function in self.functions)

    @cached_property
    def enders(self) -> tuple[bool, ...]:
        """For each function whether it ends or deletes something."""
        return tuple(map(is_end, self.sides))

    @cached_property
    def beginners(self) -> tuple[bool, ...]:
        """Which functions begin something."""
        return tuple(begins(f.label) and not end for f, end in zip(self.functions, self.enders, strict=True))

    @cached_property
    def actuators(self) -> tuple[bool, ...]:
        """For each function whether it is a command to a device."""
        return tuple(actuates(function.label) or actuates(function.name) for function in self.functions)

    @cached_property
    def deeds(self) -> tuple[Deed, ...]:
        """What each function does."""
        return tuple(Deed(f, self.exemplars_of.get(f.label, ())) for f in self.functions)

    @cached_property
    def reporters(self) -> tuple[bool, ...]:
        """For each function whether it tells how things are."""
        return tuple(tells_state(function.label.replace("_", " ")) or tells_state(function.name) for function in self.functions)

    @cached_property
    def sweeping(self) -> tuple[int, ...]:
        """The functions that do to all things what another one does to one."""
        return one_and_all([function.label for function in self.functions])

    @cached_property
    def shapes(self) -> Mapping[str, tuple[Shape, ...]]:
        """For each function which slots of numbers and listed values each of its exemplars fills."""
        return {f.label: shapes(self.places[f.label].values(), self.exemplars_of.get(f.label, ())) for f in self.functions}

    @cached_property
    def with_senses(self) -> frozenset[str]:
        """The functions with slots whose listed values may be told by meaning."""
        return frozenset(label for label, places in self.places.items() if any(map(has_senses, places.values())))

    @cached_property
    def explained(self) -> Mapping[str, frozenset[str]]:
        """For each function the stems that its own words and exemplars account for."""
        return {f.label: _explained(f, self.exemplars_of.get(f.label, ())) for f in self.functions}

    @cached_property
    def usual(self) -> Mapping[str, frozenset[str]]:
        """For each function the stems that several of its exemplars have, or that other functions account for: they are about
        it, or the domain, as a whole."""
        said = Counter(word for own in self.explained.values() for word in own)
        return {
            label: frozenset(word for word, count in said.items() if count > (word in own))
            | _usual(self.exemplars_of.get(label, ())) for label, own in self.explained.items()
        }  # fmt: skip

    @cached_property
    def shown(self) -> float:
        """Exemplars a function, on average; built-in conversation functions aside, which always have some."""
        own = [function.label for function in self.functions if CONVERSATION not in function.extras]
        return sum(len(self.exemplars_of.get(label, ())) for label in own) / len(own) if own else 0.0


def _usual(exemplars: Iterable[Exemplar]) -> frozenset[str]:
    texts = [" ".join(part for part in exemplar.parts if isinstance(part, str)) for exemplar in exemplars]
    counts = Counter(word for text in texts for word in _stems(text))
    return frozenset(word for word, count in counts.items() if count >= max(2, USUAL * len(texts)))


def _explained(function: Function, exemplars: Iterable[Exemplar]) -> frozenset[str]:
    counts: Counter[str] = Counter(_stems(summary(function)))
    for exemplar in exemplars:
        for part in exemplar.parts:
            if isinstance(part, str):
                counts.update(_stems(part))
    return frozenset(counts)


def _stems(text: str) -> set[str]:
    """Stems of words; neighbouring pairs of letters in scripts without spaces."""
    units = [normalised(atom.text) for atom in atoms(text) if atom.kind not in ("blank", "sign") or atom.text.isalnum()]
    pairs = {a + b for a, b in pairwise(units) if is_unspaced(a) and is_unspaced(b)}
    return pairs | {stem(unit) for unit in units if not is_unspaced(unit)}
