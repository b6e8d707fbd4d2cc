"""The cases that weights of slot evidence are fitted on: lines of the sets, each with the features of every option.

Given the right function; ``slots.py`` fits and judges.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from constrained_du.answers.slots import SINGLE
from constrained_du.decoding.backend import Prefix
from constrained_du.decoding.prompt import summary
from constrained_du.domain.domain import Domain
from constrained_du.domain.matching import located, resemblances
from constrained_du.functions.reader import Reader, head_of
from constrained_du.functions.roles import roles, slot_texts
from constrained_du.grammar.candidates import read_entities, read_expectations
from constrained_du.grammar.compile import Binder
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.fillings import Filler
from constrained_du.slots.places import is_shown
from constrained_du.slots.tags import Tags
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.schema import same_json
from constrained_du.specs.spec import Function, read_specs
from constrained_du.types import Span

EVERYDAY = Path(__file__).resolve().parent.parent / "everyday"


@dataclass
class Case:
    """One utterance with its right function: for each slot the options' features, and the right ones."""

    name: str
    slots: list[list[tuple[dict[str, float], Any, tuple[Span, ...]]]]
    gold: list[int | None]
    size: int
    """How many arguments are right; more than ``gold`` has where a value is not sayable."""


class Recorder(SlotEvidence):
    """Evidence that remembers the features behind each score."""

    last: Any = None

    def score(self, place: Any, choice: Any) -> float:
        self.last = self.features(place, choice)
        return super().score(place, choice)


@dataclass
class Reading:
    """A taught model, and what it reads before the utterances of one domain."""

    backend: Any
    heads: Mapping[int, Prefix]

    @classmethod
    def of(cls, backend: Any, domain: Domain) -> Reading:
        if backend is None:
            return cls(None, {})
        return cls(backend, {index: backend.prefix(head_of(domain.functions[index], backend)) for index in domain.readable})

    def tags(self, domain: Domain, function: Function, view: View, expected: frozenset[str]) -> Tags | None:
        if self.backend is None:
            return None
        reader = Reader(self.backend, domain.functions, self.heads, view, {function.label: expected})
        read = reader.of([domain.index[function.label]])
        return next((found.tags for found in read.values()), None)


def cases(
    root: Path, embedder: Any, backend: Any, most: int, name: str, file: str, shown: str, specs: str
) -> Iterator[Case]:  # fmt: skip
    folder = root / name if (root / name).exists() else EVERYDAY / name
    if not specs:
        yield from own_cases(folder / f"{file}.jsonl", embedder, backend, most)
        return
    functions = tuple(read_specs(folder / f"{specs}.json"))
    slots = {function.label: frozenset(function.slot) for function in functions}
    exemplars = tuple(read_exemplars(folder / f"exemplars-{shown}.json", slots)) if shown != "0" else ()
    domain = Domain(functions, exemplars)
    model = Reading.of(backend, domain)
    with open(folder / f"{file}.jsonl", encoding="utf-8") as opened:
        lines = [line for line in map(json.loads, opened) if len(line["calls"]) == 1]
        random.Random(7).shuffle(lines)
        for line in lines[:most]:
            if line["calls"]:
                yield case(f"{name}/{file}:{shown}", domain, line, embedder, model)


def own_cases(path: Path, embedder: Any, backend: Any, most: int) -> Iterator[Case]:
    """Lines that bring their own functions; those whose every slot is a single value that can be said."""
    with open(path, encoding="utf-8") as opened:
        lines = [line for line in map(json.loads, opened) if len(line["calls"]) == 1]
    random.Random(7).shuffle(lines)
    for line in lines[:most]:
        domain = Domain(tuple(read_specs(line["specs"])), ())
        if not all(isinstance(slot.schema, SINGLE) for slot in domain.by_label[line["calls"][0]["name"]].slots):
            continue
        found = case(f"{path.parent.name}/{path.stem}:0", domain, line, embedder, Reading.of(backend, domain))
        if sum(gold is not None for gold in found.gold) == found.size:
            yield found


def case(name: str, domain: Domain, line: Mapping[str, Any], embedder: Any, model: Reading) -> Case:
    call = line["calls"][0]
    accepted = line["answers"][0]["arguments"] if "answers" in line else {n: [v] for n, v in call["arguments"].items()}
    function: Function = domain.by_label[call["name"]]
    text = line["utterance"]
    now = datetime.fromisoformat(line["now"]) if "now" in line else None
    view = View(text, now)
    candidates = read_entities(line.get("entities"), text, domain.entity_keys)
    asked = read_expectations([e for e in line.get("expectations", []) if e[1] in domain.by_label], domain.by_label)
    expected = frozenset(e.slot for e in asked if e.function == function.label and e.slot)
    grammar = Binder(text, candidates, domain.ontology, now).bind(function)
    places = tuple(domain.places[function.label].values())
    matches = domain.templates.matches(view, {function.label: 0}, lambda _: grammar)
    templates = resemblances(matches, function.label, view.letters)
    explained = domain.explained[function.label]
    evidence = Recorder(function, view, expected, explained, places, templates=templates, supplied=candidates.spans,
                        located=located(grammar), tags=model.tags(domain, function, view, expected))  # fmt: skip
    if embedder is not None and (len(function.slots) > 1 or not is_shown(places)):
        filler = Filler(evidence, grammar.definitions, 24)
        rough = [filler.fillings(p, f.node, f.name) for p, f in zip(places, grammar.slots.fields, strict=True)]
        vectors = np.array([embedder.embed(t) for t in slot_texts(function)])
        names = [slot.name for slot in function.slots]
        evidence.roles = roles(embedder, text, vectors, embedder.embed(summary(function)), names, rough)
    options: list[list[tuple[dict[str, float], Any, tuple[Span, ...]]]] = []
    gold: list[int | None] = []
    for field in grammar.slots.fields:
        found = _options(Filler(evidence, grammar.definitions, 10_000), domain, function, field, evidence)
        options.append(found)
        wanted = accepted.get(field.name, [])
        gold.append(_right(found, wanted, call.get("spans", {}).get(field.name)))
    size = sum("" not in wanted for wanted in accepted.values())
    return Case(name, options, gold, max(size, sum(own is not None for own in gold)))


def _options(filler: Filler, domain: Domain, function: Function, field: Any, evidence: Recorder) -> Any:
    place = domain.places[function.label][field.name]
    found = []
    for filling in filler._of(place, field.node, field.name, 0):
        found.append((dict(evidence.last or {}), filling.value, filling.located))
    return found


def _right(options: Sequence[Any], accepted: Sequence[Any], span: Sequence[int] | None) -> int | None:
    right = [i for i, (_, value, _) in enumerate(options) if any(same_json(value, wanted) for wanted in accepted)]
    if span is not None:
        exact = [i for i in right if options[i][2] == (Span(*span),)]
        right = exact or right
    return right[-1] if right else None
