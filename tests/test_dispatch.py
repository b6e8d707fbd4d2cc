"""Calls reach Python functions with arguments of the right types, or nothing runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from constrained_du import InputError
from constrained_du.dispatch import dispatch
from constrained_du.types import DO_NOT_UNDERSTAND, Call


class Room(Enum):
    KITCHEN = "kitchen"
    HALL = "hall"


@dataclass
class Guest:
    name: str


class Order(BaseModel):
    dish: str
    count: int = 1


def book(day: date, at: time | None = None) -> tuple[date, time | None]:
    return day, at


def light(room: Room, level: Annotated[int, Field(ge=0, le=100)] = 50) -> tuple[Room, int]:
    return room, level


def invite(guests: list[Guest]) -> list[str]:
    return [guest.name for guest in guests]


def untyped(word, /):  # type: ignore[no-untyped-def]
    return word


def mode(kind: Literal["cool", "heat"]) -> str:
    return kind


async def later(n: int) -> int:
    return n + 1


class Player:
    def play(self, title: str) -> str:
        return f"♪ {title}"


PASSED: list[tuple[str, Callable[..., Any], dict[str, Any], Any]] = [
    ("a date is a date", book, {"day": "2023-07-14"}, (date(2023, 7, 14), None)),
    ("a time is a time", book, {"day": "2023-07-14", "at": "19:00"}, (date(2023, 7, 14), time(19))),
    ("an enum gets its member", light, {"room": "hall"}, (Room.HALL, 50)),
    ("a list of dataclasses", invite, {"guests": [{"name": "Ann"}]}, ["Ann"]),
    ("a parameter by place, without a hint", untyped, {"word": "x"}, "x"),
    ("a literal", mode, {"kind": "cool"}, "cool"),
    ("a bound method", Player().play, {"title": "Halo"}, "♪ Halo"),
    ("a partial", partial(light, level=3), {"room": "hall"}, (Room.HALL, 3)),
    ("a model", Order, {"dish": "soup"}, Order(dish="soup")),
]


@pytest.mark.parametrize(("function", "arguments", "returned"), [r[1:] for r in PASSED], ids=[r[0] for r in PASSED])
def test_arguments_become_what_the_hints_say(
    function: Callable[..., Any], arguments: dict[str, Any], returned: Any
) -> None:
    assert dispatch([Call("f", arguments)], {"f": function}) == (returned,)


REFUSED: list[tuple[str, Call, str]] = [
    ("no function of that name", Call("fly"), "no function for 'fly'"),
    ("a slot is missing", Call("light", missing=("room",), clarification="Which room?"), "Which room?"),
    ("an operator is no argument", Call("light", operators={"room": [("!=", "hall")]}), "operators for room"),
    ("a value out of bounds", Call("light", {"room": "hall", "level": 101}), "light.level refuses 101"),
    ("a value of no member", Call("light", {"room": "attic"}), "light.room refuses 'attic'"),
    ("a parameter that is not there", Call("light", {"room": "hall", "colour": "red"}), "colour"),
]


@pytest.mark.parametrize(("call", "told"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_call_that_cannot_be_made_runs_nothing(call: Call, told: str) -> None:
    ran: list[str] = []
    with pytest.raises(InputError, match=told):
        dispatch([Call("note", {"text": "first"}), call], {"note": lambda text: ran.append(text), "light": light})
    assert ran == []


def test_do_not_understand_runs_nothing_unless_it_is_given() -> None:
    fallback = [Call(DO_NOT_UNDERSTAND)]
    assert dispatch(fallback, {}) == ()
    assert dispatch(fallback, {DO_NOT_UNDERSTAND: lambda: "sorry?"}) == ("sorry?",)


def test_a_coroutine_function_gives_its_coroutine() -> None:
    (coroutine,) = dispatch([Call("later", {"n": 1})], {"later": later})
    assert asyncio.run(coroutine) == 2


def test_what_a_function_raises_passes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        dispatch([Call("f")], {"f": lambda: 1 // 0})
