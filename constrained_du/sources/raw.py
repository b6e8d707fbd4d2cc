"""The one shape that every source is read into, and its way back to OpenCUI's form.

A RawFunction has been checked as a document (texts are texts, containers are the right
ones); what its schemas mean is for the spec reader to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from constrained_du.errors import SpecError
from constrained_du.sources.plain import check_text, child, described, kind, show
from constrained_du.sources.schemas import inline_top_reference, move_definitions

Report: TypeAlias = Callable[[SpecError], None]
"""Takes the problem of one function; raises it, or keeps it and lets the others be read."""


@dataclass(frozen=True, slots=True)
class RawFunction:
    """One function of a developer's document.

    ``path`` and ``parameters_path`` are JSON paths in that document, for messages.
    ``parameters`` is a self-contained JSON Schema object that always has ``type``,
    ``properties``, ``required`` and ``$defs``. ``extras`` holds the document's other
    keys (``x-link``, ``headSlot``, ``clarification``, …) as they were.
    """

    path: str
    label: str
    names: tuple[str, ...]
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    parameters_path: str = "$"
    extras: Mapping[str, Any] = field(default_factory=dict)


@contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Within it a SpecError goes to ``report`` instead of ending the whole document."""
    try:
        yield
    except SpecError as problem:
        report(problem)


def to_native(raw: RawFunction) -> dict[str, Any]:
    """The function in OpenCUI's form; ``read_functions`` gives an equal one (but for its paths)."""
    parameters = {key: value for key, value in raw.parameters.items() if key != "$defs" or value}
    written = {
        "label": raw.label,
        "name": list(raw.names),
        "description": raw.description,
        "parameters": parameters,
    }
    return written | {key: value for key, value in raw.extras.items() if key not in written}


def names_from_label(label: str) -> tuple[str, ...]:
    """What a person would call it: ``getCurrentWeather`` gives ``get Current Weather`` in small letters.

    ``_ - . /`` and braces become blanks, camelCase is split, capitals that only mark
    words are made small (``URL`` stays). Letters without case, emoji and other signs
    are kept. A label with blanks in it is taken as written by a person.
    """
    text = _SEPARATORS.sub(" ", label)
    if " " not in label.strip():
        text = _CAMEL.sub(" ", text)
        text = " ".join(word.lower() if _CAPITALISED.match(word) else word for word in text.split())
    return (" ".join(text.split()) or label,)


_SEPARATORS = re.compile(r"[_\-./{}]+")
_CAMEL = re.compile(r"(?<=[a-zß-öø-ÿ0-9])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_CAPITALISED = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ0-9]+\Z|[A-Z]\Z")


def read_names(value: object, label: str, path: str) -> tuple[str, ...]:
    """The human names: a list of texts, one text, or (None, an empty list) derived from the label."""
    if value is None or value == [] or value == "":
        return names_from_label(label)
    if isinstance(value, str):
        return (check_text(value, path, "name"),)
    if not isinstance(value, Sequence):
        raise SpecError(path, f"{described(value)} - give names as a list of texts")
    names = (check_text(name, child(path, index), "name") for index, name in enumerate(value))
    return tuple(dict.fromkeys(names))


def read_description(value: object, path: str) -> str:
    """The description; ``""`` where there is none."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SpecError(path, f"the description is {described(value)} - write it as a text")
    return value


def read_parameters(value: object, path: str) -> dict[str, Any]:
    """The parameters as one complete schema object; absent, null or ``{}`` mean no slots.

    ``definitions`` (draft 7) becomes ``$defs``; a ``$ref`` at the top is followed.
    """
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise SpecError(
            path, f'parameters is {kind(value)} - give an object {{"type": "object", "properties": …}}'
        )
    schema = inline_top_reference(move_definitions(value, path), path)
    if schema.get("type", "object") not in ("object", ["object"]):
        raise SpecError(
            child(path, "type"),
            f'the parameters are of type {show(schema["type"])} - a function takes an "object"',
        )
    rest = {key: member for key, member in schema.items() if key not in _ALWAYS}
    return {
        "type": "object",
        "properties": _properties(schema.get("properties"), child(path, "properties")),
        "required": _required(schema.get("required"), child(path, "required")),
        "$defs": _object(schema.get("$defs"), child(path, "$defs"), "$defs"),
    } | rest


_ALWAYS = ("type", "properties", "required", "$defs")


def _properties(value: object, path: str) -> dict[str, Any]:
    properties = _object(value, path, "properties")
    for name, schema in properties.items():
        check_text(name, path, "slot's name")
        if not isinstance(schema, dict | bool):
            raise SpecError(
                child(path, name),
                f'the slot is {described(schema)} - describe it as {{"type": …}}',
            )
    return properties


def _object(value: object, path: str, what: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SpecError(path, f"{what} is {described(value)} - give an object of name and schema")
    return value


def _required(value: object, path: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise SpecError(path, f"required is {described(value)} - give a list of slot names")
    for index, name in enumerate(value):
        if not isinstance(name, str):
            raise SpecError(
                child(path, index), f"required names {show(name)}, {kind(name)} - give slot names as texts"
            )
    return list(dict.fromkeys(value))
