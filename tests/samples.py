"""Small grammars for tests, random texts of a grammar, and mutations of them by one byte.

Walks productions; knows nothing of who reads the texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from constrained_du.grammar.compile import Binder
from constrained_du.grammar.grammar import Grammar
from constrained_du.grammar.productions import Productions, lower
from constrained_du.patterns.expressions import Cat, Chars, Expr, Lit, Or, Rep, Sym
from constrained_du.specs.spec import read_specs

LONG = 300  # names and literals of one text, beyond which the shortest way out is taken
ENDLESS = 10**9


class Sampler:
    """Random texts of a grammar, the same for the same seed."""

    def __init__(self, grammar: Grammar, seed: int = 0) -> None:
        self._productions = lower(grammar)
        self._random = Random(seed)
        self._heights = _heights(self._productions)
        self._left = 0

    def text(self) -> str:
        self._left = LONG
        return self._say(Sym(self._productions.root))

    def texts(self, count: int) -> list[str]:
        """Distinct texts, at most ``count``."""
        return list(dict.fromkeys(self.text() for _ in range(count)))

    def _say(self, expr: Expr) -> str:
        self._left -= 1
        match expr:
            case Lit(text):
                return text
            case Chars(ranges):
                low, high = self._random.choice(ranges)
                return chr(self._random.randint(low, min(high, low + 300)))
            case Cat(parts):
                return "".join(map(self._say, parts))
            case Or(options):
                if self._left < 0:
                    return self._say(min(options, key=lambda option: _height(option, self._heights)))
                return self._say(self._random.choice(options))
            case Rep(inner, least, most):
                most = least + 3 if most is None else most if most - least < 9 else least + 3
                times = least if self._left < 0 else self._random.randint(least, most)
                return "".join(self._say(inner) for _ in range(times))
            case Sym(name):
                return self._say(self._productions.rules[name])


def _heights(productions: Productions) -> dict[str, int]:
    heights = dict.fromkeys(productions.rules, ENDLESS)
    changed = True
    while changed:
        changed = False
        for name, expr in productions.rules.items():
            height = 1 + _height(expr, heights)
            if height < heights[name]:
                heights[name], changed = height, True
    return heights


def _height(expr: Expr, heights: dict[str, int]) -> int:
    match expr:
        case Cat(parts):
            return max((_height(part, heights) for part in parts), default=0)
        case Or(options):
            return min(_height(option, heights) for option in options)
        case Rep(inner, least):
            return _height(inner, heights) if least else 0
        case Sym(name):
            return heights[name]
        case _:
            return 0


def mutations(text: str, random: Random, count: int) -> list[str]:
    """The text with one byte changed, added, lost or swapped with its neighbour, where that is still UTF-8."""
    data, found = text.encode("utf-8"), dict[str, None]()
    for _ in range(4 * count):
        at = random.randrange(len(data))
        byte = bytes([random.choice(b'"\\{}[],:-.0123456789 aeZ' if random.random() < 0.7 else range(256))])
        changed = random.choice((
            data[:at] + byte + data[at + 1 :],
            data[:at] + byte + data[at:],
            data[:at] + data[at + 1 :],
            data[:at] + data[at : at + 2][::-1] + data[at + 2 :],
            data[:at],
        ))  # fmt: skip
        try:
            mutated = changed.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if mutated != text:
            found[mutated] = None
    return list(found)[:count]


class TooMany(Exception):
    """More texts than a test wants to look at."""


def language(grammar: Grammar, most: int = 3_000) -> frozenset[str]:
    """Every text of a finite grammar, by its productions. Raises TooMany beyond ``most``."""
    productions = lower(grammar)
    known: dict[str, frozenset[str]] = {}

    def of(expr: Expr) -> frozenset[str]:
        match expr:
            case Lit(text):
                return frozenset({text})
            case Chars(ranges):
                return _capped((chr(point) for low, high in ranges for point in range(low, high + 1)), most)
            case Cat(parts):
                found = frozenset({""})
                for part in parts:
                    inner = of(part)
                    found = _capped((text + other for text in found for other in inner), most)
                return found
            case Or(options):
                return _capped((text for option in options for text in of(option)), most)
            case Rep(inner, least, bound):
                if bound is None:
                    raise TooMany
                return frozenset().union(*(of(Cat((inner,) * times)) for times in range(least, bound + 1)))
            case Sym(name):
                if name not in known:
                    known[name] = of(productions.rules[name])
                return known[name]

    return of(Sym(productions.root))


def _capped(texts: Iterable[str], most: int) -> frozenset[str]:
    found = set()
    for text in texts:
        found.add(text)
        if len(found) > most:
            raise TooMany
    return frozenset(found)


def bound(properties: dict[str, Any], utterance: str = "to Rome or Oslo", label: str = "f", **options: Any) -> Grammar:
    """The grammar of one function with these properties, for one utterance."""
    [function] = read_specs([{"name": label, "parameters": {"type": "object", "properties": properties}}])
    return Grammar((Binder(utterance).bind(function),), **options)
