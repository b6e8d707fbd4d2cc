"""The case files as values: read, written out in full, varied.

Knows the files' notation (``$repeat``, ``$join``, ``$copies``, ``$properties``,
``$nest``, JSON pointers) and nothing of the package under test.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]

DEFAULT_FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "cases"


def read_cases(folder: Path) -> list[Case]:
    """Every case of the folder's JSON files, in the order of file names; not yet written out."""
    cases = [case for path in sorted(folder.glob("*.json")) for case in json.loads(path.read_text("utf-8"))]
    ids = [case["id"] for case in cases]
    if len(ids) != len(set(ids)):
        raise ValueError(f"two cases of {folder} have one id")
    return cases


def write_out(value: Any) -> Any:
    """The value with every short form replaced by what it stands for."""
    if isinstance(value, list):
        return [write_out(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, operand), *_ = value.items()
        if key in _FORMS:
            return _FORMS[key](operand)
    return {key: write_out(item) for key, item in value.items()}


def _copies(operand: list[Any]) -> list[Any]:
    count, template = operand
    return [write_out(_numbered(template, index)) for index in range(count)]


def _properties(operand: list[Any]) -> dict[str, Any]:
    count, name, schema = operand
    return {_numbered(name, index): write_out(_numbered(schema, index)) for index in range(count)}


def _nest(levels: int) -> dict[str, Any]:
    """Objects inside each other, a boolean at the bottom; built without recursion."""
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}, "required": ["in"]}
    return schema


def _numbered(template: Any, index: int) -> Any:
    """``{i}`` and ``{i:05d}`` in every text of the template."""
    if isinstance(template, str):
        return re.sub(r"\{i(?::([^}]*))?\}", lambda match: format(index, match[1] or ""), template)
    if isinstance(template, list):
        return [_numbered(item, index) for item in template]
    if isinstance(template, dict):
        return {_numbered(key, index): _numbered(item, index) for key, item in template.items()}
    return template


_FORMS: Mapping[str, Callable[[Any], Any]] = {
    "$repeat": lambda operand: write_out(operand[0]) * operand[1],
    "$join": lambda operand: "".join(write_out(part) for part in operand),
    "$copies": _copies,
    "$properties": _properties,
    "$nest": _nest,
}


def variants(case: Case) -> Iterator[Case]:
    """The case once for each of its ``vary`` values, put at the JSON pointer."""
    vary = case["vary"]
    for value in vary["values"]:
        variant = copy.deepcopy(case)
        *way, last = [
            step.replace("~1", "/").replace("~0", "~")
            for step in vary["pointer"].removeprefix("/").split("/")
        ]
        place: Any = variant
        for step in way:
            place = place[int(step) if isinstance(place, list) else step]
        place[int(last) if isinstance(place, list) else last] = write_out(value)
        yield variant
