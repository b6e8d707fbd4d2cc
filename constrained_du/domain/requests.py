"""The arguments of ``convert`` checked and made into a request.

Loose forms in, frozen values out, or an error with value, place and way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from constrained_du.domain.domain import Domain
from constrained_du.errors import InputError
from constrained_du.grammar.candidates import Candidates, Expectation, read_entities, read_expectations
from constrained_du.sources.plain import show
from constrained_du.types import DO_NOT_UNDERSTAND

HISTORY = 4  # earlier utterances that are looked at
MOST = 1 << 31  # calls or answers of one request: a larger number means as many as there are


@dataclass(frozen=True, slots=True)
class Request:
    """One request, checked. ``allowed`` are indices of functions; see ``Converter.convert``."""

    utterance: str
    candidates: Candidates = Candidates()
    expectations: tuple[Expectation, ...] = ()
    history: tuple[str, ...] = ()
    now: datetime | None = None
    allowed: tuple[int, ...] = ()
    may_refuse: bool = True
    must_refuse: bool = False
    max_calls: int = 1
    n_best: int = 1


def read_utterance(utterance: object) -> str:
    if not isinstance(utterance, str):
        raise InputError(f"the utterance is text, not {show(utterance)}")
    for position, letter in enumerate(utterance):
        if letter == "\0" or "\ud800" <= letter <= "\udfff":
            raise InputError(
                f"the utterance holds {letter!r} at code point {position} - NUL and half surrogate pairs are no text"
            )
    return utterance


def read_request(
    domain: Domain,
    utterance: object,
    entities: object = None,
    expectations: object = None,
    history: object = None,
    now: object = None,
    functions: object = None,
    tool_choice: object = "auto",
    max_calls: object = 1,
    n_best: object = 1,
) -> Request:
    """A request for this domain; raises InputError or CandidateError."""
    text = read_utterance(utterance)
    allowed = _allowed(domain, functions)
    choice, allowed = _tool_choice(domain, tool_choice, allowed)
    if now is not None and not isinstance(now, datetime):
        raise InputError(f"now is a datetime, not {show(now)}")
    return Request(
        text,
        read_entities(entities, text, domain.entity_keys),
        read_expectations(expectations, domain.by_label),
        _history(history),
        now,
        allowed,
        may_refuse=choice in ("auto", "none"),
        must_refuse=choice == "none" or not allowed,
        max_calls=_count("max_calls", max_calls),
        n_best=_count("n_best", n_best),
    )


def _allowed(domain: Domain, functions: object) -> tuple[int, ...]:
    if functions is None:
        return tuple(range(len(domain.functions)))
    if isinstance(functions, str) or not isinstance(functions, Sequence):
        raise InputError(f"functions is a list of labels, not {show(functions)}")
    for label in functions:
        if not isinstance(label, str) or (label not in domain.index and label != DO_NOT_UNDERSTAND):
            raise InputError(f"functions: there is no function {repr(label[:80]) if isinstance(label, str) else show(label)}")
    return tuple(sorted({domain.index[label] for label in functions if label != DO_NOT_UNDERSTAND}))


def _tool_choice(domain: Domain, choice: object, allowed: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    if isinstance(choice, dict) and choice.get("type") == "function":
        inner = choice.get("function")
        choice = inner.get("name") if isinstance(inner, dict) else choice.get("name")
    if choice is None:
        return "auto", allowed
    if not isinstance(choice, str):
        raise InputError(f'tool_choice is "auto", "required", "none" or a label, not {show(choice)}')
    if choice in domain.index:
        if domain.index[choice] not in allowed:
            raise InputError(f"tool_choice: the function {choice!r} is not among functions=")
        return "label", (domain.index[choice],)
    if choice == DO_NOT_UNDERSTAND:
        return "none", allowed
    if choice not in ("auto", "required", "none"):
        raise InputError(f"tool_choice: there is no function {choice[:80]!r}")
    if choice == "required" and not allowed:
        raise InputError('tool_choice "required" needs at least one function')
    return choice, allowed


def _history(history: object) -> tuple[str, ...]:
    if history is None:
        return ()
    if isinstance(history, str) or not isinstance(history, Sequence):
        raise InputError(f"history is a list of earlier utterances, not {show(history)}")
    return tuple(read_utterance(item) for item in history)[-HISTORY:]


def _count(name: str, value: object) -> int:
    if type(value) is not int or value < 1:
        raise InputError(f"{name} is a whole number from 1, not {show(value)}")
    return min(value, MOST)


def spread(name: str, value: Any, count: int) -> list[Any]:
    """One argument of ``convert_batch`` for each utterance.

    A list of that length whose items are themselves such arguments (or None) is spread;
    anything else is meant for all.
    """
    if isinstance(value, list) and len(value) == count and all(_is_one(name, item) for item in value):
        return list(value)
    return [value] * count


def _is_one(name: str, item: Any) -> bool:
    if item is None:
        return True
    match name:
        case "entities":
            return isinstance(item, dict)
        case "history" | "functions":
            return isinstance(item, list | tuple)
        case "expectations":
            return isinstance(item, list | tuple) and all(isinstance(pair, list | tuple | dict) for pair in item)
        case "now":
            return isinstance(item, datetime)
        case "tool_choice":
            return isinstance(item, str | dict)
        case _:
            return type(item) is int
