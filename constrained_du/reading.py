"""What a taught model reads: a function, then an utterance twice; and what it says of them.

A model with an adapter (models/adapters) is asked about one function in one pass: after the
first copy whether the function is meant, after each word of the second which slot it fills.
Slots go by letters, so that one token says which. Texts and tokens only; training uses the
same ones (benchmarks/training).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from constrained_du.exemplars import Exemplar
from constrained_du.prompt import slot_name
from constrained_du.schema import Enumerated, Member, walk
from constrained_du.spec import Function
from constrained_du.types import Span

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Names of slots in order; what a function has beyond them is not read."""
NO_SLOT, YES, NO = " -", " yes", " no"
TAIL = '"\nMeant:'
MOST_WORDS = 16  # of a description
MOST_VALUES = 6  # of a list
MOST_SHOWN = 6  # exemplars in a head
MOST_TOKENS = 96  # of an utterance; a longer one is not read

Encode = Callable[[str], list[int]]
Piece = Callable[[int], bytes]


def head(function: Function, exemplars: Sequence[Exemplar] = ()) -> str:
    """What stands before every utterance: the function, its slots with their letters, and how it is asked for."""
    lines = [f"Function: {function.name}{_told(function.description)}"]
    named = list(zip(LETTERS, function.slots, strict=False))
    lines += [f"{slot_text(slot)} = {letter}" for letter, slot in named]
    letters = {slot.name: letter for letter, slot in named}
    lines += [f"Say: {_shown(exemplar, letters)}" for exemplar in chosen(exemplars)]
    return "\n".join(lines)


def slot_text(slot: Member) -> str:
    values = [str(value) for s in walk(slot.schema) if isinstance(s, Enumerated) for value in s.values]
    listed = f" ({', '.join(values[:MOST_VALUES])})" if values else ""
    return f"{slot_name(slot)}{_told(slot.description)}{listed}"


def _told(description: str) -> str:
    words = description.split()
    return f": {' '.join(words[:MOST_WORDS])}" if words else ""


def _shown(exemplar: Exemplar, letters: dict[str, str]) -> str:
    return "".join(part if isinstance(part, str) else f"<{letters.get(part.name, '-')}>" for part in exemplar.parts)


def chosen(exemplars: Sequence[Exemplar]) -> list[Exemplar]:
    """A few exemplars that show the most slots, each at least once where there is room; in their order."""
    left = [exemplar for exemplar in exemplars if exemplar.mode != "negative" and exemplar.slots]
    picked: list[Exemplar] = []
    seen: set[str] = set()
    while left and len(picked) < MOST_SHOWN:
        best = max(left, key=lambda exemplar: (len(set(exemplar.slots) - seen), len(exemplar.slots)))
        left.remove(best)
        picked.append(best)
        seen |= set(best.slots)
    return [exemplar for exemplar in exemplars if exemplar in picked]


def opening(expected: Sequence[Member] = ()) -> str:
    asked = ", ".join(slot_name(slot) for slot in expected)
    return f'\nAsked: {asked}\nUser: "' if asked else '\nUser: "'


@dataclass(frozen=True)
class Layout:
    """The tokens after the head, and where answers are read."""

    tokens: tuple[int, ...]
    meant: int
    """Index of the token after which it is said whether the function is meant."""
    words: tuple[int, ...]
    """For each word the index of its last token in the second copy; empty where no slots are asked for."""


def layout(
    encode: Encode, piece: Piece, utterance: str, words: Sequence[Span], expected: Sequence[Member], tagged: bool
) -> Layout:
    """``words`` are spans in code points; ``tagged``: whether slots are asked for."""
    said = encode(utterance)
    before = [*encode(opening(expected)), *said, *encode(TAIL)]
    if not tagged:
        return Layout(tuple(before), len(before) - 1, ())
    ends: list[int] = []  # bytes of the utterance that end with each token
    reached = 0
    for token in said:
        reached += len(piece(token))
        ends.append(reached)
    surplus = reached - len(utterance.encode("utf-8"))  # of a tokenizer that puts a blank in front
    found: list[int] = []
    at = 0
    for word in words:
        wanted = len(utterance[: word.end].encode("utf-8")) + surplus
        while at < len(ends) - 1 and ends[at] < wanted:
            at += 1
        found.append(len(before) + at)
    return Layout((*before, *said), len(before) - 1, tuple(found))


