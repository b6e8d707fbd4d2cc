"""The grammar value as productions over characters: what all notations are written from.

Lowers values to the one surface form (compact JSON, spec order, no blanks). Linear in the
grammar: optional slots are a chain, spans of the utterance a chain of words, and long lists
of values a trie. Knows nothing of GBNF, Lark or regex.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

from constrained_du.errors import GrammarError
from constrained_du.grammar.grammar import (
    AnyOf,
    CallGrammar,
    Defined,
    Field,
    FreeText,
    Grammar,
    Items,
    Members,
    Node,
    OneOf,
    Substring,
    fillable,
    is_void,
)  # fmt: skip
from constrained_du.patterns.automata import Automaton, normalise
from constrained_du.patterns.expressions import (
    EMPTY,
    Cat,
    Expr,
    Lit,
    Or,
    Sym,
    any_character,
    cat,
    characters,
    either,
    repeat,
    trie,
)  # fmt: skip
from constrained_du.text.words import atoms, boundaries
from constrained_du.types import DO_NOT_UNDERSTAND, compact_json

MAX_UNIQUE_STATES = 2_000  # subsets already used by a list of distinct values


@dataclass(frozen=True, slots=True)
class Productions:
    """Rules by name, each name ASCII and free of collisions; ``root`` is the whole answer.

    Rules appear before the rules that use them, except those of a cycle (``recursive``).
    """

    rules: dict[str, Expr]
    root: str
    recursive: frozenset[str]


def lower(grammar: Grammar) -> Productions:
    """The productions of a grammar, the same for equal grammars. Raises GrammarError if it has no answer at all."""
    lowering = _Lowering()
    calls = [lowering.call(number, call) for number, call in enumerate(grammar.calls)]
    alone: list[Expr] = []
    if grammar.fallback:
        alone.append(lowering.add("call-none", _call_text(DO_NOT_UNDERSTAND, Lit("{}"))))
    if grammar.max_calls > 1 and calls:
        one = lowering.add("call", Or(tuple(calls)) if len(calls) > 1 else calls[0])
        several = cat(one, repeat(cat(Lit(","), one), 0, grammar.max_calls - 1))
        alone = [lowering.add("calls", several), *alone]
        calls = []
    answer = either([*calls, *alone])
    if answer is None:
        raise GrammarError("there is nothing to say: no function and no fallback - allow at least one function")
    lowering.add("root", cat(Lit("["), answer, Lit("]")) if grammar.max_calls > 1 else answer)
    return Productions(lowering.rules, "root", frozenset(lowering.recursive))


def _call_text(label: str, arguments: Expr) -> Expr:
    return Cat((Lit(f'{{"name":{compact_json(label)},"arguments":'), arguments, Lit("}")))


@dataclass(slots=True)
class _Lowering:
    rules: dict[str, Expr] = field(default_factory=dict)
    recursive: set[str] = field(default_factory=set)
    _full: frozenset[str] = frozenset()
    _names: dict[str, str] = field(default_factory=dict)
    _spans: dict[str, Expr] = field(default_factory=dict)
    _shared: dict[Expr, Sym] = field(default_factory=dict)

    def add(self, name: str, expr: Expr) -> Sym:
        self.rules[name] = expr
        return Sym(name)

    def call(self, number: int, call: CallGrammar) -> Sym:
        definitions = call.definitions
        self._full = fillable(definitions)
        self._names = {pointer: f"def-{number}-{i}" for i, pointer in enumerate(definitions)}
        self.recursive.update(self._names.values())
        for pointer, name in self._names.items():
            if pointer in self._full:
                self.rules[name] = self.node(definitions[pointer], f"{name}-value")
        return self.add(f"call-{number}", _call_text(call.label, self.node(call.body, f"call-{number}")))

    def node(self, node: Node, name: str) -> Expr:
        match node:
            case OneOf():
                def part(expr: Expr) -> Expr:
                    return self.share(expr, f"{name}-part-{len(self._shared)}")

                return self.share(trie(sorted(node.texts), part), name)
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
        return is_void(node, self._full)

    def share(self, expr: Expr, name: str) -> Expr:
        """One rule for equal expressions, unless it is as short as its name."""
        if isinstance(expr, Lit):
            return expr
        if expr not in self._shared:
            self._shared[expr] = self.add(name, expr)
        return self._shared[expr]

    def named(self, expr: Expr, name: str) -> Expr:
        """A rule of its own, unless it is a name or a literal already."""
        return expr if isinstance(expr, Sym | Lit) else self.add(name, expr)

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
                step = _step(fields[index], values[index], count, following[min(count + 1, enough)], following[count])
                if step is not None and not isinstance(step, Lit):
                    step = self.add(f"{name}-from-{index}-{count}", step)
                current.append(step)
            following = current
        inside = following[0]
        assert inside is not None, "void objects are left out by the caller"
        return cat(Lit("{"), inside, Lit("}"))

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
                options.append(cat(*head))
            if self.void(part) or (most is not None and index >= most):
                most = index
                break
            here = f"{name}-prefix-{index}"
            head += [*([Lit(",")] if index else []), self.named(self.node(part, here), f"{here}-value")]
        else:
            options.append(self.tail(node, head, most, name))
        return cat(Lit("["), either(options) or EMPTY, Lit("]"))

    def tail(self, node: Items, head: list[Expr], most: int | None, name: str) -> Expr:
        """The items after a full prefix."""
        before = len(node.prefix)
        least = max(0, node.least - before)
        room = None if most is None else most - before
        if node.item is None or room == 0 or self.void(node.item):
            return cat(*head)
        item = self.named(self.node(node.item, f"{name}-item"), f"{name}-item-value")
        if before:
            return cat(*head, repeat(cat(Lit(","), item), least, room))
        rest = repeat(cat(Lit(","), item), max(0, least - 1), None if room is None else room - 1)
        some = cat(item, rest)
        return some if least else Or((EMPTY, some))

    def distinct(self, node: Items, name: str) -> Expr:
        """Distinct values: one rule for each set of values that were used."""
        parts = [*node.prefix, *([node.item] if node.item is not None else [])]
        if not all(isinstance(part, OneOf) for part in parts):
            raise GrammarError(f"{name}: uniqueItems of open values has no finite grammar - give candidates or an enum")
        prefix = [part.texts for part in node.prefix if isinstance(part, OneOf)]
        item = node.item.texts if isinstance(node.item, OneOf) else ()
        values = {text for texts in (*prefix, item) for text in texts}
        most = len(values) if item else len(prefix)
        most = most if node.most is None else min(most, node.most)
        if sum(comb(len(values), count) for count in range(min(most, MAX_UNIQUE_STATES) + 1)) > MAX_UNIQUE_STATES:
            raise GrammarError(f"{name}: uniqueItems over {len(values)} values is too large to write - lower maxItems")
        rules: dict[tuple[str, ...], Expr | None] = {}

        def used(values: tuple[str, ...]) -> Expr | None:
            count, key = len(values), tuple(sorted(values))
            if key not in rules:
                options: list[Expr] = [EMPTY] if count >= node.least else []
                for text in (prefix[count] if count < len(prefix) else item) if count < most else ():
                    after = used((*values, text)) if text not in values else None
                    if after is not None:
                        options.append(cat(Lit(("," if count else "") + text), after))
                step = either(options)
                rules[key] = step if step is None or isinstance(step, Lit) else self.add(f"{name}-used-{len(rules)}", step)
            return rules[key]

        inside = used(())
        if inside is None:
            raise GrammarError(f"{name}: no list of {node.least} distinct values - lower minItems")
        return cat(Lit("["), inside, Lit("]"))

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
            step = either(options)
            assert step is not None, "the last cut is an end"
            following = self.add(f"words-{len(self._spans)}-{index}", cat(piece, step))
            if cuts[index] in starts:
                entries.append(following)
        entries.reverse()
        span = self.add(f"span-{len(self._spans)}", cat(Lit('"'), either(entries) or EMPTY, Lit('"')))
        self._spans[text] = span
        return span

    def free(self, least: int, most: int, automaton: Automaton | None, name: str) -> Expr:
        if automaton is None:
            if "char" not in self.rules:
                self.add("char", any_character())
            return cat(Lit('"'), repeat(Sym("char"), least, most), Lit('"'))
        states = [f"{name}-state-{index}" for index in range(len(automaton.rows))]
        self.recursive.update(states if _has_cycle(automaton) else ())
        for state in reversed(range(len(states))):
            options: list[Expr] = [EMPTY] if automaton.accepting[state] else []
            for target in dict.fromkeys(to for _, _, to in automaton.rows[state]):
                letters = characters(normalise((a, b) for a, b, to in automaton.rows[state] if to == target))
                if letters is not None:
                    options.append(cat(letters, Sym(states[target])))
            self.rules[states[state]] = either(options) or EMPTY
        return cat(Lit('"'), Sym(states[automaton.start]), Lit('"'))


def _has_cycle(automaton: Automaton) -> bool:
    """Bounded automata are numbered breadth first, so an edge backwards is a cycle."""
    return any(to <= state for state, row in enumerate(automaton.rows) for _, _, to in row)


def _step(field: Field, value: Expr, count: int, after: Expr | None, without: Expr | None) -> Expr | None:
    """What follows where ``field`` may come: it and ``after``, or ``without`` it; None if neither can be."""
    said = cat(Lit(("," if count else "") + compact_json(field.name) + ":"), value)
    if field.required:
        return None if after is None else cat(said, after)
    if after is not None and after == without:
        return cat(repeat(said, 0, 1), after)  # written once, so that a chain is linear in any notation
    return either(([] if after is None else [cat(said, after)]) + ([] if without is None else [without]))
