"""When an answer is right: JSON equality, and the BFCL's looser comparison.

Pure functions of an expected line and the calls that were answered (without
``do_not_understand``, which is no call here). Decisions worth knowing:

- **Operators.** With ``operators=True`` a call is right only if its operators are
  equal too (the order within a slot does not matter). Without, a converter cannot
  say them, and a line that has some is judged by its name and arguments alone.
- **Order.** Several calls must come in the order of ``calls``; in the BFCL's
  comparison their order does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from constrained_du.evaluation.figures import SlotCounts
from constrained_du.evaluation.lines import GoldCall, Line
from constrained_du.types import Call, JsonValue, compact_json

A = TypeVar("A")
B = TypeVar("B")

LEFT_OUT = ""
"""Among the acceptable values of an argument: it may be left out (BFCL)."""

_IGNORED_BY_BFCL = re.compile(r"[\s,./\-_*^]")
"""Blanks and the punctuation that the benchmark's own checker removes (``standardize_string``)."""


def json_equal(left: JsonValue, right: JsonValue) -> bool:
    """Equal as JSON: ``True`` is not ``1``, ``1`` is ``1.0``, key order does not matter."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(json_equal, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(json_equal(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def is_right(line: Line, calls: Sequence[Call], operators: bool = False) -> bool:
    """The answer is one that the line accepts: by ``answers`` where there are some, else strictly."""
    if line.answers is None:
        return is_exact(line, calls, operators)
    return len(calls) == len(line.answers) == pair_off(calls, line.answers, _is_acceptable)


def is_exact(line: Line, calls: Sequence[Call], operators: bool = False) -> bool:
    """The answer is ``line.calls``, in that order."""
    return len(calls) == len(line.calls) and all(
        call.name == gold.name
        and json_equal(call.arguments, gold.arguments)
        and (not operators or _same_operators(call, gold))
        for call, gold in zip(calls, line.calls, strict=True)
    )


def has_right_functions(line: Line, calls: Sequence[Call]) -> bool:
    """The names are the expected ones, in any order."""
    return sorted(call.name for call in calls) == sorted(gold.name for gold in line.calls)


def count_slots(line: Line, calls: Sequence[Call]) -> SlotCounts:
    """Slot labels with equal values, whatever the function; an array is one value.

    With ``answers`` a value is right if it is acceptable, and an argument that may be
    left out is not missed when it is.
    """
    said = [(slot, value) for call in calls for slot, value in call.arguments.items()]
    if line.answers is None:
        gold = [(slot, value) for call in line.calls for slot, value in call.arguments.items()]
        return SlotCounts(pair_off(said, gold, _same_slot), len(said), len(gold))
    wanted = [(slot, values) for answer in line.answers for slot, values in answer.arguments.items()]
    needed = [item for item in wanted if LEFT_OUT not in item[1]]
    right = pair_off(said, wanted, _acceptable_slot)
    missed = len(needed) - pair_off(said, needed, _acceptable_slot)
    return SlotCounts(right, len(said), right + missed)


def pair_off(left: Sequence[A], right: Sequence[B], fits: Callable[[A, B], bool]) -> int:
    """The largest number of pairs, each item used once (augmenting paths; lists are short)."""
    owner: dict[int, int] = {}

    def place(index: int, seen: set[int]) -> bool:
        for other in range(len(right)):
            if other not in seen and fits(left[index], right[other]):
                seen.add(other)
                if other not in owner or place(owner[other], seen):
                    owner[other] = index
                    return True
        return False

    return sum(place(index, set()) for index in range(len(left)))


def is_acceptable_value(value: JsonValue, accepted: Iterable[JsonValue]) -> bool:
    """One of the acceptable values, compared as the BFCL compares."""
    return any(_alike(value, want) for want in accepted)


def _alike(value: JsonValue, want: JsonValue) -> bool:
    if isinstance(value, str) and isinstance(want, str):
        return _plain(value) == _plain(want)
    if isinstance(value, list) and isinstance(want, list):
        return len(value) == len(want) and all(map(_alike, value, want))
    if isinstance(value, Mapping) and isinstance(want, Mapping):
        return _fits_object(value, want)
    return json_equal(value, want)


def _fits_object(value: Mapping[str, JsonValue], want: Mapping[str, JsonValue]) -> bool:
    """Each key of ``want`` has a list of acceptable values again."""
    accepted = {key: item if isinstance(item, list) else [item] for key, item in want.items()}
    said = (key in accepted and is_acceptable_value(item, accepted[key]) for key, item in value.items())
    unsaid = (LEFT_OUT in item for key, item in accepted.items() if key not in value)
    return all(said) and all(unsaid)


def _plain(text: str) -> str:
    return _IGNORED_BY_BFCL.sub("", text).lower().replace("'", '"')


def _is_acceptable(call: Call, answer: GoldCall) -> bool:
    return call.name == answer.name and _fits_object(call.arguments, answer.arguments)


def _same_slot(said: tuple[str, JsonValue], gold: tuple[str, JsonValue]) -> bool:
    return said[0] == gold[0] and json_equal(said[1], gold[1])


def _acceptable_slot(said: tuple[str, JsonValue], wanted: tuple[str, list[JsonValue]]) -> bool:
    return said[0] == wanted[0] and is_acceptable_value(said[1], wanted[1])


def _same_operators(call: Call, gold: GoldCall) -> bool:
    if call.operators.keys() != gold.operators.keys():
        return False
    said = call.operators
    return all(json_equal(_in_order(said[slot]), _in_order(pairs)) for slot, pairs in gold.operators.items())


def _in_order(pairs: Iterable[tuple[str, JsonValue]]) -> list[list[JsonValue]]:
    return sorted(([name, value] for name, value in pairs), key=compact_json)
