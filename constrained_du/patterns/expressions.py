"""Expressions over characters: literals, character sets, sequence, choice, repetition, names.

What productions are made of. Smart constructors keep them small and in one form, so that
equal languages of one origin are equal values. Knows nothing of calls or notations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from constrained_du.patterns.automata import ANY, Ranges, complement, meet, normalise
from constrained_du.types import compact_json

MAX_TRIE_DEPTH = 240  # values that begin with each other; the trie is made by recursion
MAX_BRACKETS = 12  # inside each other in one rule; llguidance takes some forty
MAX_REPEAT = 1_000  # of one repetition as it is written: llama.cpp stops at 2,000
_ESCAPED = normalise([(0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0xD800, 0xDFFF)])
_RAW: Ranges = complement(_ESCAPED)


@dataclass(frozen=True, slots=True)
class Lit:
    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Cat:
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    options: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Rep:
    inner: Expr
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Sym:
    name: str


Expr = Lit | Chars | Cat | Or | Rep | Sym
EMPTY = Lit("")


def _escapes(ranges: Ranges) -> Iterator[str]:
    for low, high in ranges:
        for code_point in range(low, high + 1):
            if not 0xD800 <= code_point <= 0xDFFF:
                yield compact_json(chr(code_point))[1:-1]


@lru_cache(maxsize=1024)
def characters(ranges: Ranges) -> Expr | None:
    """Code points as they stand in a JSON string; None if none can."""
    raw = meet(ranges, _RAW)
    options: list[Expr] = [Chars(raw)] if raw else []
    options += [Lit(text) for text in _escapes(meet(ranges, _ESCAPED))]
    return either(options)


def any_character() -> Expr:
    found = characters(ANY)
    assert found is not None
    return found


def trie(texts: Sequence[str], named: Callable[[Expr], Expr], depth: int = 0) -> Expr:
    """The alternatives of sorted distinct texts, common beginnings written once.

    ``named`` gives an expression a name: readers take only so many brackets inside each other.
    """
    shared = _common_beginning(texts[0], texts[-1])
    if len(texts) == 1:
        return Lit(texts[0])
    rest = [text[len(shared) :] for text in texts]
    if depth >= MAX_TRIE_DEPTH:
        return cat(Lit(shared), Or(tuple(map(Lit, rest))))
    options: list[Expr] = []
    start = 0
    for index in range(1, len(rest) + 1):
        if index == len(rest) or rest[index][:1] != rest[start][:1]:
            options.append(trie(rest[start:index], named, depth + 1))
            start = index
    found = cat(Lit(shared), Or(tuple(options)))
    return named(found) if depth and depth % MAX_BRACKETS == 0 else found


def _common_beginning(one: str, other: str) -> str:
    same, most = 0, min(len(one), len(other))
    while same < most:  # by halves: texts may be long
        middle = (same + most + 1) // 2
        if one.startswith(other[same:middle], same):
            same = middle
        else:
            most = middle - 1
    return one[:same]


def cat(*parts: Expr) -> Expr:
    flat: list[Expr] = []
    for part in parts:
        for inner in part.parts if isinstance(part, Cat) else (part,):
            if isinstance(inner, Lit) and flat and isinstance(flat[-1], Lit):
                flat[-1] = Lit(flat[-1].text + inner.text)
            elif inner != EMPTY:
                flat.append(inner)
    return flat[0] if len(flat) == 1 else Cat(tuple(flat)) if flat else EMPTY


def either(options: Sequence[Expr]) -> Expr | None:
    distinct = tuple(dict.fromkeys(options))
    if not distinct:
        return None
    return distinct[0] if len(distinct) == 1 else Or(distinct)


def repeat(inner: Expr, least: int, most: int | None) -> Expr:
    """``least`` to ``most`` (None: any number of) times, each text in one way only.

    Beyond ``MAX_REPEAT`` in blocks of it: readers of GBNF copy what is repeated.
    """
    if most is None:
        return cat(_exactly(inner, least - 1), Rep(inner, 1, None)) if least > MAX_REPEAT else _plain(inner, least, None)
    if most <= MAX_REPEAT:
        return _plain(inner, least, most)
    blocks, rest = divmod(most - least, MAX_REPEAT)
    block = Cat((_plain(inner, MAX_REPEAT, MAX_REPEAT),))
    full = cat(repeat(block, blocks, blocks), _plain(inner, 0, rest))
    fewer = [cat(repeat(block, 0, blocks - 1), _plain(inner, 0, MAX_REPEAT - 1))] if blocks else []
    after = either([*fewer, full])
    assert after is not None
    return cat(_exactly(inner, least), after)


def _exactly(inner: Expr, times: int) -> Expr:
    blocks, rest = divmod(times, MAX_REPEAT)
    block = Cat((_plain(inner, MAX_REPEAT, MAX_REPEAT),))
    return cat(repeat(block, blocks, blocks), _plain(inner, rest, rest))


def _plain(inner: Expr, least: int, most: int | None) -> Expr:
    if most == 0:
        return EMPTY
    return inner if (least, most) == (1, 1) else Rep(inner, least, most)
