"""Calls Python functions with the arguments of calls, made into what their type hints say.

All calls are checked before the first function runs, so that a bad second call leaves nothing
half done. What a function itself raises is the caller's own and passes through. Knows calls
by their shape alone; nothing of how they came about.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, get_type_hints

from constrained_du.errors import InputError

Functions = Mapping[str, Callable[..., Any]]
"""Label of a function's spec → the Python function."""


class Callish(Protocol):
    """As much of a ``Call`` as is needed here."""

    @property
    def name(self) -> str: ...

    @property
    def arguments(self) -> Mapping[str, Any]: ...

    @property
    def operators(self) -> Mapping[str, Any]: ...

    @property
    def missing(self) -> tuple[str, ...]: ...

    @property
    def clarification(self) -> str | None: ...

    @property
    def understood(self) -> bool: ...


def dispatch(calls: Iterable[Callish], functions: Functions) -> tuple[Any, ...]:
    """What the functions of the calls return, in order; of coroutine functions that is a coroutine.

    ``do_not_understand`` runs nothing, unless ``functions`` has one of that name. Raises
    InputError for a call without a function, with a missing slot, with operators (a function
    cannot be told “not Monday”), or with an argument that its type hint refuses.
    """
    ready = [bound(call, functions) for call in calls if call.understood or call.name in functions]
    return tuple(run() for run in ready)


def bound(call: Callish, functions: Functions) -> Callable[[], Any]:
    """The call, checked and ready to be made."""
    function = functions.get(call.name)
    if function is None:
        known = ", ".join(map(repr, functions)) or "none"
        raise InputError(f"dispatch: there is no function for {call.name!r} - there is {known}")
    if call.missing:
        hint = f" - ask: {call.clarification}" if call.clarification else ""
        raise InputError(f"dispatch: {call.name} lacks {', '.join(call.missing)}{hint}")
    if call.operators:
        slots = ", ".join(call.operators)
        raise InputError(f"dispatch: {call.name} has operators for {slots} - read call.operators yourself")
    hints = _hints(function)
    values = {name: _typed(call.name, name, value, hints) for name, value in call.arguments.items()}
    try:
        return _partial(function, values)
    except TypeError as problem:
        raise InputError(f"dispatch: {call.name} cannot be called so ({problem}) - does its spec fit it?") from None


def _partial(function: Callable[..., Any], values: Mapping[str, Any]) -> Callable[[], Any]:
    """The function with its arguments; positional-only ones by place."""
    signature = inspect.signature(function)
    by_place = [name for name, p in signature.parameters.items() if p.kind is p.POSITIONAL_ONLY and name in values]
    places = [values[name] for name in by_place]
    names = {name: value for name, value in values.items() if name not in by_place}
    signature.bind(*places, **names)
    return functools.partial(function, *places, **names)


def _typed(label: str, name: str, value: Any, hints: Mapping[str, Any]) -> Any:
    """A JSON value as the parameter's type hint wants it: a date, an enum's member, a model."""
    if name not in hints:
        return value
    from pydantic import PydanticUserError, TypeAdapter, ValidationError  # a quarter of a second to import

    try:
        return TypeAdapter(hints[name]).validate_json(json.dumps(value))
    except ValidationError as problem:
        told = problem.errors(include_url=False)[0]["msg"]
        raise InputError(f"dispatch: {label}.{name} refuses {value!r}: {told}") from None
    except PydanticUserError:  # a hint that is no type of data
        return value


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The type hints, those of a model's fields for a class; none where they cannot be read."""
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    target = inspect.unwrap(target)
    if not inspect.isroutine(target) and not isinstance(target, type):
        target = type(target).__call__
    try:
        return get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return {}
