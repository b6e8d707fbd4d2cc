"""What a taught model reads: a function, then an utterance twice; and what it says of them.

A model with an adapter (models/adapters) is asked about one function in one pass: after the
first copy whether the function is meant, after each word of the second which slot it fills. A slot
goes by a word of its own name, so that the first token says which and what the model knows of the
word counts. Texts and tokens only; training uses the same ones (benchmarks/training).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from constrained_du.decoding.prompt import slot_name
from constrained_du.specs.exemplars import Exemplar
from constrained_du.specs.schema import Enumerated, Member, walk
from constrained_du.specs.spec import Function
from constrained_du.text.lexicon import words_of
from constrained_du.types import Span

MOST_SLOTS = 26  # what a function has beyond them is not read
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
VAGUE = frozenset(
    "a an the of for to in on at is are has have by and or which whose that this it your number name type value kind".split()
)
"""Words that say little of a slot; others stand for it where there are some."""
NO_SLOT, YES, NO = " -", " yes", " no"
TAIL = '"\nMeant:'
MOST_WORDS = 16  # of a description
MOST_VALUES = 6  # of a list
MOST_SHOWN = 6  # exemplars in a head
MOST_TOKENS = 96  # of an utterance; a longer one is not read

Encode = Callable[[str], list[int]]
Piece = Callable[[int], bytes]


@dataclass(frozen=True)
class Answer:
    """What says that a word fills a slot."""

    word: str
    token: int
    """The first of `` word``; no two slots of a function have the same."""


def answers(encode: Encode, slots: Sequence[Member]) -> dict[str, Answer]:
    """For each slot a word of its name that no other name has, else of its description, else a letter.

    Slots beyond the first, and those that no token of their own would tell apart, have none and are not read."""
    slots = slots[:MOST_SLOTS]
    owners = Counter(word for slot in slots for word in set(_words(slot_name(slot))))
    taken = {encode(NO_SLOT)[0]}
    found: dict[str, Answer] = {}
    for slot in slots:
        answer = next((own for own in _offered(encode, slot, owners) if own.token not in taken), None)
        if answer is not None:
            taken.add(answer.token)
            found[slot.name] = answer
    return found


def _offered(encode: Encode, slot: Member, owners: Mapping[str, int]) -> Iterator[Answer]:
    name, told = _words(slot_name(slot)), _words(slot.description)
    own = [word for word in name if owners[word] == 1]
    telling = [word for word in told if word not in owners and word not in VAGUE]
    ordered = [*(w for w in own if w not in VAGUE), *(w for w in own if w in VAGUE), *telling, *name, *LETTERS]
    for word in dict.fromkeys(ordered):
        yield Answer(word, encode(f" {word}")[0])


def _words(text: str) -> list[str]:
    return [word.lower() for word in words_of(text) if word.isalpha()]


def head(encode: Encode, function: Function, exemplars: Sequence[Exemplar] = ()) -> str:
    """What stands before every utterance: the function, its slots with their answers, and how it is asked for."""
    words = {name: answer.word for name, answer in answers(encode, function.slots).items()}
    lines = [f"Function: {function.name}{_told(function.description)}"]
    lines += [f"{slot_text(slot)} = {words[slot.name]}" for slot in function.slots if slot.name in words]
    lines += [f"Say: {_shown(exemplar, words)}" for exemplar in chosen(exemplars)]
    return "\n".join(lines)


def slot_text(slot: Member) -> str:
    values = [str(value) for s in walk(slot.schema) if isinstance(s, Enumerated) for value in s.values]
    listed = f" ({', '.join(values[:MOST_VALUES])})" if values else ""
    return f"{slot_name(slot)}{_told(slot.description)}{listed}"


def _told(description: str) -> str:
    words = description.split()
    return f": {' '.join(words[:MOST_WORDS])}" if words else ""


def _shown(exemplar: Exemplar, words: Mapping[str, str]) -> str:
    return "".join(part if isinstance(part, str) else f"<{words.get(part.name, '-')}>" for part in exemplar.parts)


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
