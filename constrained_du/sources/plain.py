"""Checks that a value is JSON, and copies it; names places by their JSON path.

Everything that enters the package from a developer's document passes here once, so
that no later reader meets a set, a NaN, a lone surrogate, a cycle or a value nested
beyond ``MAX_DEPTH``. Knows nothing of function specs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from constrained_du.errors import SpecError

MAX_DEPTH = 64
"""Containers inside each other. Real specs stay below 20; each floor of later readers recurses."""
MAX_VALUES = 2_000_000
"""Values in one document, counted with repetition: stops YAML aliases that double at every step."""
MAX_INTEGER_BITS = 4_096
"""Larger integers cannot be printed under Python's default digit limit (4,300 digits)."""

_PATH_SHOWN = 160
_KEY_SHOWN = 48
_VALUE_SHOWN = 60


def child(path: str, key: str | int) -> str:
    """The path of a member or an item: ``$.tools`` + ``2`` gives ``$.tools[2]``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    shown = key if len(key) <= _KEY_SHOWN else key[: _KEY_SHOWN - 1] + "…"
    return f"{path}.{printable(shown)}"


def shorten(path: str) -> str:
    """A path that fits in a message: the beginning and the end of a very long one."""
    return path if len(path) <= _PATH_SHOWN else f"{path[:90]}…{path[-60:]}"


def printable(text: str) -> str:
    """The text with lone surrogates replaced, so that a message can be written anywhere."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\\0")


def show(value: object) -> str:
    """A short picture of a value for messages; never fails, whatever the value is."""
    shown = _as_json(value) if _is_short(value) else kind(value)
    return shown if len(shown) <= _VALUE_SHOWN else shown[: _VALUE_SHOWN - 1] + "…"


def kind(value: object) -> str:
    """What a value is, in a reader's words: ``a list``, ``a number``, ``a set``."""
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    return f"a Python {type(value).__name__}"


def described(value: object) -> str:
    """What a value is, with the value itself where it is short: ``a text ("bay")``, ``a list``, ``null``."""
    shown = show(value)
    return kind(value) if shown == kind(value) else f"{kind(value)} ({shown})"


_KINDS: tuple[tuple[Any, str], ...] = (
    (type(None), "null"),
    (bool, "a boolean"),
    (str, "a text"),
    (int | float, "a number"),
    (Mapping, "an object"),
    (list | tuple, "a list"),
)


_SCALARS = (str, int, float, bool, type(None))


def plain(value: object, path: str) -> Any:
    """A deep copy of ``value`` made of dict, list, str, int, float, bool and None alone.

    Tuples become lists, enum members of text or number their value. Raises SpecError at
    the path of the first value that is not JSON.
    """
    try:
        return _copy(value, MAX_DEPTH, _Budget(MAX_VALUES))
    except _NotPlain as error:
        raise SpecError(_join(path, reversed(error.keys)), error.problem) from None


def check_text(text: object, path: str, what: str) -> str:
    """A text that is not blank and can be shown to a model; SpecError otherwise."""
    if not isinstance(text, str):
        raise SpecError(path, f"{described(text)} - the {what} must be a text")
    if not text.strip():
        raise SpecError(path, f"{show(text)} is empty - give the {what} a text")
    problem = text_problem(text)
    if problem:
        raise SpecError(path, f"{show(printable(text))} {problem} - take it out of the {what}")
    if "\0" in text:
        raise SpecError(path, f"{show(printable(text))} holds a NUL character - take it out of the {what}")
    return str(text)


def text_problem(text: str) -> str | None:
    """What keeps a text from being Unicode: a lone surrogate; None where nothing does."""
    if text.isascii():
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "holds a lone surrogate, which is no character"
    return None


@dataclass(slots=True)
class _Budget:
    left: int


class _NotPlain(Exception):
    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.keys: list[str | int] = []


def _copy(value: object, depth: int, budget: _Budget) -> Any:
    budget.left -= 1
    if budget.left < 0:
        raise _NotPlain(f"more than {MAX_VALUES:,} values - split the document")
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        problem = text_problem(value)
        if problem:
            raise _NotPlain(f"{show(printable(value))} {problem} - take it out")
        return str.__str__(value)
    if isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise _NotPlain(f"an integer of {value.bit_length()} bits - at most {MAX_INTEGER_BITS} are read")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NotPlain(f"{value} is no JSON number - give a finite one")
        return float(value)
    if not isinstance(value, Mapping | list | tuple):
        raise _NotPlain(f"{kind(value)} is no JSON value - give a list, an object, a text or a number")
    if depth == 0:
        raise _NotPlain(f"nested deeper than {MAX_DEPTH} levels - flatten it, or use $defs with $ref")
    return _copy_container(value, depth - 1, budget)


def _copy_container(
    value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], depth: int, budget: _Budget
) -> Any:
    key: Any = None
    try:
        if isinstance(value, Mapping):
            copied = {}
            for key, member in value.items():
                copied[_copy_key(key)] = _copy(member, depth, budget)
            return copied
        items: list[Any] = []
        for item in value:
            key = len(items)
            items.append(_copy(item, depth, budget))
        return items
    except _NotPlain as error:
        error.keys.append(key if isinstance(key, int) and not isinstance(value, Mapping) else str(key))
        raise


def _copy_key(key: object) -> str:
    if not isinstance(key, str):
        raise _NotPlain(f"the key {described(key)} - write keys as texts, in quotes")
    problem = text_problem(key)
    if problem:
        raise _NotPlain(f"the key {show(printable(key))} {problem} - take it out")
    return str.__str__(key)


def _join(path: str, keys: Iterable[str | int]) -> str:
    for key in keys:
        path = child(path, key)
    return shorten(path)


def _is_short(value: object) -> bool:
    """Whether the value itself, not only its kind, can be told in a line."""
    if isinstance(value, Mapping | list | tuple) and len(value) <= 8:
        items = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
        return all(isinstance(item, _SCALARS) for item in items)
    return isinstance(value, _SCALARS)


def _as_json(value: object) -> str:
    try:
        return printable(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError):
        return kind(value)
