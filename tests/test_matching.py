"""Which exemplars an utterance equals, and when that leaves no doubt."""

from __future__ import annotations

from typing import Any

import pytest

from constrained_du.domain.domain import Domain
from constrained_du.domain.matching import Match, resemblances, settled
from constrained_du.grammar.candidates import read_entities
from constrained_du.grammar.compile import Binder
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.types import Span

SPECS = [
    {
        "name": "remind",
        "parameters": {"properties": {"task": {"type": "string"}, "person": {"type": "string"}, "shelf": {"type": "shelf"}}},
    },
    {"name": "note", "parameters": {"properties": {"text": {"type": "string"}}}},
]


def matches(templates: dict[str, list[str]], utterance: str, entities: Any = None) -> list[Match]:
    functions = tuple(read_specs(SPECS))
    slots = {function.label: frozenset(function.slot) for function in functions}
    written = {label: [{"template": template} for template in own] for label, own in templates.items()}
    domain = Domain(functions, tuple(read_exemplars(written, slots)))
    binder = Binder(utterance, read_entities(entities, utterance, domain.entity_keys), domain.ontology)
    view = View(utterance)
    return domain.templates.matches(view, dict(domain.index), lambda index: binder.bind(domain.functions[index]))


def chosen(match: Match | None) -> dict[str, Any] | None:
    return None if match is None else {slot: own[0].value for slot, own in match.choices.items()}


@pytest.mark.parametrize(
    ("templates", "utterance", "expected"),
    [
        ({"remind": ["remind me to <task>"]}, "Remind me to water the ferns!", {"task": "water the ferns"}),
        ({"remind": ["tell <person> to <task>"]}, "tell Ada to knock", {"person": "Ada", "task": "knock"}),
        ({"remind": ["tell <person> <task>"]}, "tell Ada knock", None),
        ({"remind": ["tell <person> to <task>"]}, "tell Ada to go to bed", None),
        ({"remind": ["jot <task>"], "note": ["jot <text>"]}, "jot buy glue", None),
        ({"remind": ["jot <task>"], "note": ["jot down <text>"]}, "jot down buy glue", {"text": "buy glue"}),
        ({"remind": ["put <task> up"]}, "put the up", None),
        ({"remind": ["that is all"]}, "that is all.", {}),
    ],
    ids=["one slot", "two slots apart", "side by side", "two readings", "two functions", "more specific", "no content", "no slot"],
)  # fmt: skip
def test_open_slots_decide_only_where_one_reading_is_left(
    templates: dict[str, list[str]], utterance: str, expected: dict[str, Any] | None
) -> None:
    found = matches(templates, utterance)
    assert found
    assert chosen(settled(found)) == expected


def test_supplied_values_decide_before_open_words() -> None:
    templates = {"remind": ["clear <person>", "clear <shelf>"]}
    found = matches(templates, "clear top left", {"shelf": [(6, 14, "S1")]})
    assert chosen(settled(found)) == {"shelf": "S1"}
    assert not settled(found).is_open  # type: ignore[union-attr]


def test_all_readings_are_evidence_for_their_spans() -> None:
    utterance = "tell Ada to go to bed"
    found = matches({"remind": ["tell <person> to <task>"]}, utterance)
    shares = resemblances(found, "remind", View(utterance).letters)
    assert {place: share > 0 for place, share in shares.items()} == {
        ("person", Span(5, 8)): True,
        ("task", Span(12, 21)): True,
        ("person", Span(5, 14)): True,
        ("task", Span(18, 21)): True,
    }
    assert resemblances(found, "note", 10) == {}


def test_slots_side_by_side_are_no_evidence() -> None:
    found = matches({"remind": ["tell <person> <task>"]}, "tell Ada knock twice")
    assert len(found) == 2 and all(match.is_loose for match in found)
    assert resemblances(found, "remind", 10) == {}
