"""Reads a plain Python function: its signature gives the slots, its docstring the words.

Type hints are turned into JSON Schema by pydantic (``Literal``, ``Enum``, ``Annotated`` with
``Field``, ``Optional``, containers, dataclasses, TypedDicts, models). A parameter without a
hint has the type of its default, and is a text without one. A parameter with a default is
optional. A first parameter ``self`` or ``cls`` of an unbound method is left out; ``*args`` and
``**kwargs`` say nothing about slots and are refused. Docstrings may be in Google's, NumPy's,
Sphinx's or Epydoc's style.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, get_type_hints

import docstring_parser
from pydantic import Field, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

from constrained_du.errors import SpecError
from constrained_du.sources.plain import check_text, child, plain, printable, show
from constrained_du.sources.pydantic_models import json_schema
from constrained_du.sources.raw import RawFunction, names_from_label, read_parameters

_SIMPLE = (bool, int, float, str)


def read_callable(source: Callable[..., Any], path: str) -> RawFunction:
    """The function that a Python function describes; SpecError where its signature tells too little."""
    function = _innermost(source)
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier():
        raise SpecError(path, f"{show(name)} is no function's name - define the function with def")
    label = check_text(name, path, "function's name")
    words = _docstring(inspect.getdoc(function) or "")
    slots = _slots(source, label, path)
    adapters = {slot.name: _adapter(slot, path, label) for slot in slots}

    def make() -> Any:
        inputs = [(name, "validation", adapter) for name, adapter in adapters.items()]
        schemas, common = TypeAdapter.json_schemas(inputs)  # type: ignore[arg-type]
        return [{name: schemas[name, "validation"] for name in adapters}, common.get("$defs", {})]

    properties, definitions = plain(json_schema(make, path, label), path)
    for slot in slots:
        _annotate(properties[slot.name], slot, words)
    return RawFunction(
        path=path,
        label=label,
        names=names_from_label(label),
        description=words.description,
        parameters=read_parameters(
            {
                "type": "object",
                "properties": properties,
                "required": [slot.name for slot in slots if not slot.optional],
                "$defs": definitions,
            },
            path,
        ),
        parameters_path=path,
    )


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    hint: Any
    optional: bool
    default: Any = None


@dataclass(frozen=True, slots=True)
class _Words:
    """What a docstring says: of the function, and of each parameter."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def _innermost(source: Callable[..., Any]) -> Any:
    while isinstance(source, functools.partial):
        source = source.func
    if inspect.isroutine(source) or not callable(source):
        return inspect.unwrap(source)
    return inspect.unwrap(source) if hasattr(source, "__name__") else type(source).__call__


def _slots(source: Callable[..., Any], label: str, path: str) -> list[_Slot]:
    try:
        signature = inspect.signature(source)
    except (TypeError, ValueError) as error:
        raise SpecError(
            path, f"{show(label)} has no signature ({error}) - wrap it in a function with type hints"
        ) from None
    hints = _hints(_innermost(source), label, path)
    slots = []
    for index, parameter in enumerate(signature.parameters.values()):
        if index == 0 and parameter.name in ("self", "cls") and parameter.name not in hints:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise SpecError(
                child(path, parameter.name),
                f"{show(label)} takes {stars}{parameter.name}, which names no slots - name each parameter",
            )
        slots.append(_slot(parameter, hints))
    return slots


def _slot(parameter: inspect.Parameter, hints: dict[str, Any]) -> _Slot:
    if parameter.default is parameter.empty:
        return _Slot(parameter.name, hints.get(parameter.name, str), optional=False)
    guess = type(parameter.default) if type(parameter.default) in _SIMPLE else str
    return _Slot(parameter.name, hints.get(parameter.name, guess), optional=True, default=parameter.default)


def _hints(function: Any, label: str, path: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:  # noqa: BLE001 - a hint is any expression of the author's, and may fail in any way
        reason = printable(str(error))
        raise SpecError(
            path, f"the type hints of {show(label)} cannot be read ({reason}) - mend them"
        ) from None


def _adapter(slot: _Slot, path: str, label: str) -> TypeAdapter[Any]:
    here = child(path, slot.name)
    annotated: Any = Annotated[slot.hint, Field()]
    try:
        return TypeAdapter(annotated)
    except RecursionError:
        raise SpecError(here, f"the type of {show(slot.name)} is nested too deep - flatten it") from None
    except Exception as error:  # noqa: BLE001 - pydantic runs the author's own hooks here
        reason = printable(str(error)).strip().splitlines() or [type(error).__name__]
        raise SpecError(
            here,
            f"the type of {show(slot.name)} has no JSON Schema ({reason[0]}) - use JSON's types",
        ) from None


def _annotate(schema: dict[str, Any], slot: _Slot, words: _Words) -> None:
    """Adds the docstring's words and the default, where the hint's own ``Field`` gave none."""
    if "description" not in schema and words.parameters.get(slot.name):
        schema["description"] = words.parameters[slot.name]
    if slot.optional and slot.default is not None and "default" not in schema:
        # An annotation that JSON cannot hold is left out: it changes nothing that is legal.
        with contextlib.suppress(PydanticSerializationError, ValueError, SpecError):
            schema["default"] = plain(to_jsonable_python(slot.default), "$")


def _docstring(text: str) -> _Words:
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return _Words(text.strip())
    parts = [part.strip() for part in (parsed.short_description, parsed.long_description) if part]
    told = {param.arg_name.lstrip("*"): (param.description or "").strip() for param in parsed.params}
    return _Words("\n\n".join(parts), {name: " ".join(words.split()) for name, words in told.items()})
