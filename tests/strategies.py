"""Random grammars, schemas and values for property tests: small, and fond of what is awkward to write."""

from __future__ import annotations

from hypothesis import strategies as st

from constrained_du.grammar.grammar import (
    AnyOf,
    CallGrammar,
    Choice,
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
from constrained_du.patterns.patterns import bounded_automaton
from constrained_du.types import JsonValue

AWKWARD = ('"', "\\", "a/b", "{", "}}", "[]", ",", ":", "\n", "\x7f", "\u2028", "é", "e\u0301", "東京", "👩‍👩‍👧", "null", "true",
           "-", "]-^", "$x", "(?:", "|", "\x00", "x" * 40)  # fmt: skip
UTTERANCES = (
    "book a table for 4 at O'Neil's, please!", "明日の東京は晴れ？", 'say "hi\\there" to a.b@c.org', "naïve 👩‍👩‍👧 test", "one",
)  # fmt: skip
PATTERNS = ("^[a-c]{1,3}$", "x", "^(yes|no|maybe)$", "^\\d{2}-\\d{2}$", '^"?q"?$', "^[^a]*$", "^(a|b|東)+$", "^a*b?$")

texts = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=("Cs",)), max_size=6))
numbers = st.one_of(
    st.integers(-50, 50), st.sampled_from([0.5, -2.25, 1e-7, 1e21, 2**53, 10**30, 3.0]), st.floats(-100, 100, width=16)
)
scalars: st.SearchStrategy[JsonValue] = st.one_of(st.none(), st.booleans(), numbers, texts)
values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)), max_leaves=5
)
_NAMES = ["a", "b", "a.b", "a/b", "a b", "A-B", "a_b", '"', "名前", "🎉", "n" * 200]
names = st.one_of(st.sampled_from(_NAMES), texts.filter(bool))


def one_of(choices: st.SearchStrategy[JsonValue], least: int = 0) -> st.SearchStrategy[Node]:
    return st.lists(choices, min_size=least, max_size=4).map(lambda found: OneOf(tuple(map(Choice, found))))


@st.composite
def free_texts(draw: st.DrawFn) -> Node:
    least = draw(st.integers(0, 3))
    most = least + draw(st.integers(0, 4))
    if draw(st.booleans()):
        return FreeText(least, most)
    return FreeText(least, most, bounded_automaton((draw(st.sampled_from(PATTERNS)),), least, most, 1000))


leaves: st.SearchStrategy[Node] = st.one_of(
    one_of(values), one_of(st.integers(0, 20), 1), st.sampled_from(UTTERANCES).map(Substring), free_texts()
)


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Node]) -> Node:
    least = draw(st.integers(0, 2))
    most = draw(st.one_of(st.none(), st.integers(least, least + 2)))
    if draw(st.integers(0, 4)) == 0:
        return Items((), draw(one_of(scalars, 1)), least, most, unique=True)
    prefix = tuple(draw(st.lists(inner, max_size=2)))
    item = draw(st.one_of(st.none(), inner)) if prefix else draw(inner)
    return Items(prefix, item, least, most)


def members(inner: st.SearchStrategy[Node], all_optional: bool = False) -> st.SearchStrategy[Members]:
    fields = st.lists(
        st.builds(Field, names, inner, st.just(False) if all_optional else st.booleans()),
        max_size=4, unique_by=lambda field: field.name,
    )  # fmt: skip
    least = st.just(0) if all_optional else st.sampled_from([0, 0, 0, 1, 2])
    return st.builds(lambda found, count: Members(tuple(found), min(count, len(found))), fields, least)


def nodes(leaf: st.SearchStrategy[Node] = leaves) -> st.SearchStrategy[Node]:
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            lists(inner), members(inner), st.lists(inner, min_size=1, max_size=3).map(lambda found: AnyOf(tuple(found)))
        ),
        max_leaves=5,
    )


@st.composite
def calls(draw: st.DrawFn, recursive: bool) -> CallGrammar:
    definitions: dict[str, Node] = {}
    leaf = leaves
    if recursive:
        leaf = st.one_of(leaves, st.sampled_from([Defined("#/$defs/one"), Defined("#/$defs/two")]))
        definitions = {name: draw(nodes(leaf)) for name in ("#/$defs/one", "#/$defs/two")}
        full = fillable(definitions)
        definitions = {n: Members((Field("end", node, False),)) if _is_bare(node) else node for n, node in definitions.items()}
        full = fillable(definitions)
        leaf = leaf.filter(lambda node: not is_void(node, full) or isinstance(node, OneOf))
    return CallGrammar(draw(names), draw(members(nodes(leaf), all_optional=True)), definitions)


def _is_bare(node: Node) -> bool:
    """A definition that may be itself without a character between; no schema reader lets that through."""
    return isinstance(node, Defined) or (isinstance(node, AnyOf) and any(_is_bare(option) for option in node.options))


@st.composite
def grammars(draw: st.DrawFn, recursive: bool = False) -> Grammar:
    found = draw(st.lists(calls(recursive), min_size=1, max_size=3, unique_by=lambda call: call.label))
    return Grammar(tuple(found), draw(st.sampled_from([1, 1, 1, 2, 3])), draw(st.booleans()))
