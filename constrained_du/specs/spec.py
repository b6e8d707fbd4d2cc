"""Function specs read into frozen values.

What a developer's functions are called, what they are for, and which slots they have.
Where a document comes from (OpenAI, OpenAPI, pydantic, …) is the business of ``sources``.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.sources import RawFunction, read_functions, to_native
from constrained_du.specs.schema import Entity, Member, Record, Schema, walk
from constrained_du.specs.schema_reader import SchemaReader
from constrained_du.types import DO_NOT_UNDERSTAND

SLOT_VALUE = "slot_value"
"""The type of a slot that holds a value of the slot that a ``slot_label`` beside it names."""


class SpecWarning(UserWarning):
    """Something in a spec that is legal and probably not meant."""


@dataclass(frozen=True)
class Function:
    """One of the developer's functions. ``native`` is its spec in OpenCUI's form, as JSON."""

    label: str
    names: tuple[str, ...]
    description: str
    record: Record
    definitions: Mapping[str, Schema] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)
    native: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def slots(self) -> tuple[Member, ...]:
        return self.record.members

    @cached_property
    def slot(self) -> Mapping[str, Member]:
        return {member.name: member for member in self.slots}

    @cached_property
    def name(self) -> str:
        """What a person would call it."""
        return self.names[0]

    @cached_property
    def entity_types(self) -> frozenset[str]:
        """The custom types that its slots ask candidates of."""
        schemas = [*walk(self.record), *(s for d in self.definitions.values() for s in walk(d))]
        return frozenset(s.type for s in schemas if isinstance(s, Entity) and s.type != SLOT_VALUE)


def read_specs(
    source: object,
    taken: Collection[str] = (),
    strings_free: bool = False,
    problems: list[SpecError] | None = None,
) -> list[Function]:
    """The functions of any source that ``sources`` knows.

    ``taken`` are labels already in use. With a ``problems`` list every bad function is
    appended to it and the others are returned; without, all problems are raised as one
    SpecError that names them. Oddities that are legal are SpecWarnings.
    """
    found: list[SpecError] = [] if problems is None else problems
    before = len(found)
    functions: list[Function] = []
    labels = set(taken)
    for raw in read_functions(source, found):
        try:
            functions.append(_function(raw, labels, strings_free))
            labels.add(raw.label)
        except SpecError as problem:
            found.append(problem)
    if problems is None and len(found) > before:
        raise joined(found)
    return functions


def _function(raw: RawFunction, taken: Collection[str], strings_free: bool) -> Function:
    if raw.label == DO_NOT_UNDERSTAND:
        raise SpecError(raw.path, f"{DO_NOT_UNDERSTAND!r} is the built-in fallback - give the function another label")
    if raw.label in taken:
        raise SpecError(
            raw.path, f"the label {raw.label!r} is taken, by another function or by a conversation function that is "
            "switched on - give each function a label of its own",
        )  # fmt: skip

    def warn(path: str, text: str) -> None:
        warnings.warn(f"{text} @ {path} (function {raw.label!r})", SpecWarning, stacklevel=6)

    reader = SchemaReader(raw.parameters, raw.parameters_path, warn, strings_free)
    record = reader.read(dict(raw.parameters) | {"type": raw.parameters.get("type") or "object"}, raw.parameters_path)
    if not isinstance(record, Record):
        raise SpecError(raw.parameters_path, "the parameters of a function are an object")
    return Function(
        raw.label, raw.names, raw.description, record, reader.definitions, dict(raw.extras), to_native(raw)
    )


def joined(problems: list[SpecError]) -> SpecError:
    """One error for all: the first one's class and path, every one's text."""
    if len(problems) == 1:
        return problems[0]
    first = problems[0]
    rest = "; ".join(str(problem) for problem in problems[1:])
    joined = type(first)(first.path, first.problem)
    joined.args = (f"{len(problems)} problems: {first}; {rest}",)
    return joined
