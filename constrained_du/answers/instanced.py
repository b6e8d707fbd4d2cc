"""A function that names other functions' slots, slot by slot: what may fill it for each.

The slots that the words name come one by one, their values judged as values of that slot;
the others come together, as the grammar groups them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from constrained_du.domain.domain import Domain
from constrained_du.grammar.grammar import CallGrammar, Choice, Members, OneOf
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.fillings import FREE, Filling
from constrained_du.slots.places import Place
from constrained_du.specs.instances import Instance, label_slot, value_slots
from constrained_du.specs.spec import Function

MOST_NAMED = 8  # slots that one utterance names: more are words that many slots share


@dataclass(frozen=True, slots=True)
class Way:
    """One way to fill the function: its slots as they may stand together, and as evidence sees them."""

    slots: Members
    places: Mapping[str, Place]


def ways(grammar: CallGrammar, function: Function, domain: Domain, evidence: SlotEvidence) -> Iterator[Way]:
    places = domain.places[function.label]
    named = label_slot(function)
    if named is None:
        yield from (Way(branch, places) for branch in grammar.branches)
        return
    said = _said(grammar, places[named], evidence)
    for branch in grammar.branches:
        rest: list[Choice] = []
        for choice in _labels(branch, named):
            if choice.value not in said:
                rest.append(choice)
                continue
            instance = next(i for i in domain.ontology.slots if i.label == choice.value)
            yield Way(_only(branch, named, [choice]), _seen_as(places, function, instance))
        if rest:
            yield Way(_only(branch, named, rest), places)


def stands_together(grammar: CallGrammar, chosen: Sequence[Filling | None]) -> bool:
    """Whether values are legal beside each other: what an exemplar sets for one slot need not fit another."""
    if not grammar.branches:
        return True
    pairs = zip(grammar.slots.fields, chosen, strict=True)
    return grammar.admits({slot.name: own.value for slot, own in pairs if own is not None and own.value is not FREE})


def _said(grammar: CallGrammar, place: Place, evidence: SlotEvidence) -> frozenset[str]:
    """The labels that the utterance speaks of, the clearest first if there are many."""
    clear = {choice.value: evidence.mention(place, choice.value)[0] for choice in _labels(grammar.slots, place.name)}
    ranked = sorted((label for label in clear if clear[label] > 0), key=lambda label: -clear[label])
    return frozenset(ranked[:MOST_NAMED])


def _labels(slots: Members, named: str) -> tuple[Choice, ...]:
    node = next(field.node for field in slots.fields if field.name == named)
    assert isinstance(node, OneOf)
    return node.choices


def _only(branch: Members, named: str, choices: list[Choice]) -> Members:
    return Members(tuple(replace(f, node=OneOf(tuple(choices))) if f.name == named else f for f in branch.fields))


def _seen_as(places: Mapping[str, Place], function: Function, instance: Instance) -> dict[str, Place]:
    """The places, those of values with the schema and the words of the slot that is named."""
    member = instance.member
    described = f"{member.name.replace('_', ' ')} {member.description or member.title}"
    values = value_slots(function)
    return {
        name: replace(place, schema=member.schema, description=f"{place.description} {described}")
        if name in values else place
        for name, place in places.items()
    }  # fmt: skip
