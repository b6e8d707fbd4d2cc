"""The grammar value as productions over characters: what all notations are written from.

Lowers values to the one surface form (compact JSON, spec order, no blanks). Linear in the
grammar: optional slots are a chain, spans of the utterance a chain of words, and long lists
of values a trie. Knows nothing of GBNF, Lark or regex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os.path import commonprefix

from constrained_du.errors import GrammarError
from constrained_du.grammar import (
    AnyOf, Defined, FreeText, Grammar, Items, Members, Node, OneOf, Substring, is_void,
)  # fmt: skip
from constrained_du.patterns import MAX_CODE_POINT, Automaton, Ranges, complement, normalise
from constrained_du.schema import json_key
from constrained_du.types import DO_NOT_UNDERSTAND, compact_json
from constrained_du.words import atoms, boundaries

MAX_UNIQUE_STATES = 2_000  # subsets already used by a list of distinct values
MAX_TRIE_DEPTH = 60
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


@dataclass(frozen=True, slots=True)
class Productions:
    """Rules by name, each name ASCII and free of collisions; ``root`` is the whole answer.

    Rules appear before the rules that use them, except those of a cycle (``recursive``).
    """

    rules: dict[str, Expr]
    root: str
    recursive: frozenset[str]


def lower(grammar: Grammar) -> Productions:
    """The productions of a grammar, the same for equal grammars."""
    lowering = _Lowering()
    calls = [
        lowering.call(number, call.label, call.slots, call.definitions) for number, call in enumerate(grammar.calls)
    ]
    if grammar.fallback:
        calls.append(lowering.add("call-none", _call_text(DO_NOT_UNDERSTAND, Lit("{}"))))
    answer: Expr = Or(tuple(calls)) if len(calls) > 1 else calls[0]
    if grammar.max_calls > 1:
        one = lowering.add("call", answer)
        more = Rep(Cat((Lit(","), one)), 0, grammar.max_calls - 1)
        answer = Cat((Lit("["), one, more, Lit("]")))
    lowering.add("root", answer)
    return Productions(lowering.rules, "root", frozenset(lowering.recursive))


def _call_text(label: str, arguments: Expr) -> Expr:
    return Cat((Lit(f'{{"name":{compact_json(label)},"arguments":'), arguments, Lit("}")))


@dataclass(slots=True)
class _Lowering:
    rules: dict[str, Expr] = field(default_factory=dict)
    recursive: set[str] = field(default_factory=set)
    _definitions: dict[str, Node] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _spans: dict[str, Expr] = field(default_factory=dict)
    _shared: dict[Expr, Sym] = field(default_factory=dict)

    def add(self, name: str, expr: Expr) -> Sym:
        self.rules[name] = expr
        return Sym(name)

    def call(self, number: int, label: str, slots: Members, definitions: object) -> Sym:
        assert isinstance(definitions, dict)
        self._definitions = definitions
        self._names = {pointer: f"def-{number}-{i}" for i, pointer in enumerate(definitions)}
        self.recursive.update(self._names.values())
        for pointer, name in self._names.items():
            if not is_void(definitions[pointer], definitions):
                self.rules[name] = self.node(definitions[pointer], f"{name}-value")
        return self.add(f"call-{number}", _call_text(label, self.members(slots, f"call-{number}")))

    def node(self, node: Node, name: str) -> Expr:
        match node:
            case OneOf(choices):
                texts = {json_key(c.value): compact_json(c.value) for c in choices}
                return self.share(trie(sorted(texts.values())), name)
            case Substring(text):
                return self.substring(text)
            case FreeText(least, most, automaton):
                return self.free(least, most, automaton, name)
            case Items():
                return self.items(node, name)
            case Members():
                return self.members(node, name)
            case AnyOf(options):
                return Or(tuple(self.node(o, f"{name}-{i}") for i, o in enumerate(options) if not self.void(o)))
            case Defined(pointer):
                return Sym(self._names[pointer])

    def void(self, node: Node) -> bool:
        return is_void(node, self._definitions)

    def share(self, expr: Expr, name: str) -> Expr:
        """One rule for equal expressions, unless it is as short as its name."""
        if isinstance(expr, Lit):
            return expr
        if expr not in self._shared:
            self._shared[expr] = self.add(name, expr)
        return self._shared[expr]

    # -- objects and lists ---------------------------------------------------------------

    def members(self, node: Members, name: str) -> Expr:
        """Any subset in order: a chain of rules, one for (field, number of fields before)."""
        fields = [f for f in node.fields if f.required or not self.void(f.node)]
        values = [self.node(f.node, f"{name}-{i}") for i, f in enumerate(fields)]
        enough = max(node.least, 1)
        following: list[Expr | None] = [EMPTY if count >= node.least else None for count in range(enough + 1)]
        for index in range(len(fields) - 1, -1, -1):
            current: list[Expr | None] = []
            for count in range(enough + 1):
                with_it = following[min(count + 1, enough)]
                options: list[Expr] = []
                if with_it is not None:
                    key = ("," if count else "") + compact_json(fields[index].name) + ":"
                    options.append(_cat(Lit(key), values[index], with_it))
                without = following[count]
                if without is not None and not fields[index].required:
                    options.append(without)
                step = _or(options)
                if step is not None and not isinstance(step, Lit):
                    step = self.add(f"{name}-from-{index}-{count}", step)
                current.append(step)
            following = current
        inside = following[0]
        assert inside is not None, "void objects are left out by the caller"
        return _cat(Lit("{"), inside, Lit("}"))

    def items(self, node: Items, name: str) -> Expr:
        if node.unique:
            return self.distinct(node, name)
        most = node.most
        if node.item is None or self.void(node.item):
            most = min(len(node.prefix), most if most is not None else len(node.prefix))
        options: list[Expr] = []
        head: list[Expr] = []
        for index, part in enumerate(node.prefix):
            if node.least <= index and (most is None or index <= most):
                options.append(_cat(*head))
            if self.void(part) or (most is not None and index >= most):
                most = index
                break
            head += ([Lit(",")] if index else []) + [self.node(part, f"{name}-prefix-{index}")]
        else:
            options.append(self.tail(node, head, most, name))
        return _cat(Lit("["), _or(options) or EMPTY, Lit("]"))

    def tail(self, node: Items, head: list[Expr], most: int | None, name: str) -> Expr:
        """The items after a full prefix."""
        before = len(node.prefix)
        least = max(0, node.least - before)
        room = None if most is None else most - before
        if node.item is None or room == 0 or self.void(node.item):
            return _cat(*head)
        item = self.node(node.item, f"{name}-item")
        if not isinstance(item, Sym):
            item = self.add(f"{name}-item-value", item)
        if before:
            return _cat(*head, _rep(_cat(Lit(","), item), least, room))
        rest = _rep(_cat(Lit(","), item), max(0, least - 1), None if room is None else room - 1)
        some = _cat(item, rest)
        return some if least else Or((EMPTY, some))

    def distinct(self, node: Items, name: str) -> Expr:
        """Distinct values: one rule for each set of values that were used."""
        if node.prefix or not isinstance(node.item, OneOf):
            raise GrammarError(f"{name}: uniqueItems of open values has no finite grammar - give candidates or an enum")
        texts = sorted({json_key(c.value): compact_json(c.value) for c in node.item.choices}.values())
        most = len(texts) if node.most is None else min(node.most, len(texts))
        rules: dict[frozenset[int], Expr] = {}

        def used(values: frozenset[int]) -> Expr:
            if values not in rules:
                if len(rules) >= MAX_UNIQUE_STATES:
                    raise GrammarError(f"{name}: uniqueItems over {len(texts)} values is too large to write - lower maxItems")
                rules[values] = symbol = Sym(f"{name}-used-{len(rules)}")
                options: list[Expr] = [EMPTY] if len(values) >= node.least else []
                if len(values) < most:
                    comma = "," if values else ""
                    options += [
                        _cat(Lit(comma + text), used(values | {i})) for i, text in enumerate(texts) if i not in values
                    ]
                self.rules[symbol.name] = _or(options) or EMPTY
            return rules[values]

        return _cat(Lit("["), used(frozenset()), Lit("]"))

    # -- strings -------------------------------------------------------------------------

    def substring(self, text: str) -> Expr:
        """Spans between word boundaries: a chain of pieces, entered and left at boundaries."""
        if text in self._spans:
            return self._spans[text]
        starts, ends = boundaries(text)
        cuts = sorted({*starts, *ends, *(a.start for a in atoms(text)), *(a.end for a in atoms(text))})
        first, last = min(starts), max(ends)
        cuts = [cut for cut in cuts if first <= cut <= last]
        following: Expr | None = None
        entries: list[Expr] = []
        for index in range(len(cuts) - 2, -1, -1):
            piece = Lit(compact_json(text[cuts[index] : cuts[index + 1]])[1:-1])
            options: list[Expr] = [EMPTY] if cuts[index + 1] in ends else []
            if following is not None:
                options.append(following)
            step = _or(options)
            assert step is not None, "the last cut is an end"
            following = self.add(f"words-{len(self._spans)}-{index}", _cat(piece, step))
            if cuts[index] in starts:
                entries.append(following)
        entries.reverse()
        span = self.add(f"span-{len(self._spans)}", _cat(Lit('"'), _or(entries) or EMPTY, Lit('"')))
        self._spans[text] = span
        return span

    def free(self, least: int, most: int, automaton: Automaton | None, name: str) -> Expr:
        if automaton is None:
            if "char" not in self.rules:
                self.add("char", Or((Chars(_RAW), *(Lit(text) for _, text in _escapes(_ESCAPED)))))
            return _cat(Lit('"'), _rep(Sym("char"), least, most), Lit('"'))
        states = [f"{name}-state-{index}" for index in range(len(automaton.rows))]
        order = list(range(len(states)))
        self.recursive.update(states if _has_cycle(automaton) else ())
        for state in reversed(order):
            options: list[Expr] = [EMPTY] if automaton.accepting[state] else []
            for target in dict.fromkeys(to for _, _, to in automaton.rows[state]):
                ranges = normalise((low, high) for low, high, to in automaton.rows[state] if to == target)
                options.append(_cat(_characters(ranges), Sym(states[target])))
            self.rules[states[state]] = _or(options) or EMPTY
        return _cat(Lit('"'), Sym(states[automaton.start]), Lit('"'))


def _has_cycle(automaton: Automaton) -> bool:
    """Bounded automata are numbered breadth first, so an edge backwards is a cycle."""
    return any(to <= state for state, row in enumerate(automaton.rows) for _, _, to in row)


def _escapes(ranges: Ranges) -> Iterator[tuple[int, str]]:
    for low, high in ranges:
        for code_point in range(low, high + 1):
            if not 0xD800 <= code_point <= 0xDFFF:
                yield code_point, compact_json(chr(code_point))[1:-1]


def _characters(ranges: Ranges) -> Expr:
    """Code points as they stand in a JSON string."""
    raw = _meet(ranges, _RAW)
    options: list[Expr] = [Chars(raw)] if raw else []
    options += [Lit(text) for _, text in _escapes(_meet(ranges, _ESCAPED))]
    found = _or(options)
    return found if found is not None else Chars(())


def _meet(left: Ranges, right: Ranges) -> Ranges:
    met = ((max(a, c), min(b, d)) for a, b in left for c, d in right)
    return normalise((low, high) for low, high in met if low <= high <= MAX_CODE_POINT)


def trie(texts: Sequence[str], depth: int = 0) -> Expr:
    """The alternatives of sorted distinct texts, common beginnings written once."""
    shared = commonprefix([texts[0], texts[-1]])
    if len(texts) == 1:
        return Lit(texts[0])
    rest = [text[len(shared) :] for text in texts]
    options: list[Expr] = []
    if depth >= MAX_TRIE_DEPTH:
        options = [Lit(text) for text in rest]
    else:
        start = 0
        for index in range(1, len(rest) + 1):
            if index == len(rest) or rest[index][:1] != rest[start][:1]:
                options.append(trie(rest[start:index], depth + 1))
                start = index
    return _cat(Lit(shared), Or(tuple(options)))


def _cat(*parts: Expr) -> Expr:
    flat: list[Expr] = []
    for part in parts:
        for inner in part.parts if isinstance(part, Cat) else (part,):
            if isinstance(inner, Lit) and flat and isinstance(flat[-1], Lit):
                flat[-1] = Lit(flat[-1].text + inner.text)
            elif inner != EMPTY:
                flat.append(inner)
    return flat[0] if len(flat) == 1 else Cat(tuple(flat)) if flat else EMPTY


def _or(options: Sequence[Expr]) -> Expr | None:
    distinct = tuple(dict.fromkeys(options))
    if not distinct:
        return None
    return distinct[0] if len(distinct) == 1 else Or(distinct)


def _rep(inner: Expr, least: int, most: int | None) -> Expr:
    """Repetition; parts above 1,000 are nested, since GBNF readers stop at 2,000."""
    if most is not None and most > 1000:
        blocks, rest = divmod(most - least, 1000)
        required = _rep(inner, least, least) if least else EMPTY
        return _cat(required, Rep(_group(Rep(inner, 0, 1000)), 0, blocks) if blocks else EMPTY, Rep(inner, 0, rest))
    if least > 1000:
        blocks, rest = divmod(least, 1000)
        after = Rep(inner, 0, None) if most is None else EMPTY
        return _cat(Rep(_group(Rep(inner, 1000, 1000)), blocks, blocks), Rep(inner, rest, rest), after)
    if most == 0:
        return EMPTY
    return inner if (least, most) == (1, 1) else Rep(inner, least, most)


def _group(expr: Expr) -> Expr:
    return Cat((expr,))
