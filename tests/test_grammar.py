"""Laws of the grammar: what is written is what may be said, no more and no less, byte for byte the same."""

from __future__ import annotations

import json
from itertools import islice, product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from readers import llguidance_reads, outlines_reads
from samples import Sampler, TooMany, bound, language
from strategies import AWKWARD, UTTERANCES, grammars, names

from constrained_du.errors import GrammarError
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf, to_lark, to_regex
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
from constrained_du.grammar.surface import canonical, parse, write
from constrained_du.specs.spec import read_specs
from constrained_du.types import JsonValue, compact_json

settings.register_profile(
    "laws", deadline=None, max_examples=80,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
laws = settings(settings.get_profile("laws"))
FALLBACK = '{"name":"do_not_understand","arguments":{}}'
RED = {"enum": ["red", "blue"]}


def one_slot(node: Node, **definitions: Node) -> Grammar:
    return Grammar((CallGrammar("f", Members((Field("v", node, False),)), definitions),))


def said(value: JsonValue) -> str:
    return compact_json({"name": "f", "arguments": {"v": value}})


def values_of(grammar: Grammar) -> set[str]:
    """The values of the one slot, as JSON texts, by the productions."""
    calls = [json.loads(text) for text in language(grammar) if text != FALLBACK]
    return {compact_json(call["arguments"]["v"]) for call in calls if "v" in call["arguments"]}


# ---- laws --------------------------------------------------------------------------------


@laws
@given(grammar=st.one_of(grammars(), grammars(recursive=True)), seed=st.integers(0, 99))
def test_every_text_of_the_grammar_reads_back_as_its_call(grammar: Grammar, seed: int) -> None:
    try:
        texts = Sampler(grammar, seed).texts(12)
    except GrammarError as refusal:
        assert "uniqueItems" in str(refusal)
        return
    for text in texts:
        calls = parse(text, grammar)
        assert calls is not None
        assert write(calls, grammar.max_calls > 1) == text
        assert all(grammar.admits(call.name, dict(call.arguments)) for call in calls)


SMALL = st.recursive(
    st.one_of(
        st.lists(st.one_of(st.integers(0, 3), st.sampled_from(AWKWARD), st.booleans()), max_size=2).map(
            lambda found: OneOf(tuple(map(Choice, found)))),
        st.sampled_from(["go now", "a, b", "東京へ"]).map(Substring),
    ),
    lambda inner: st.one_of(
        st.builds(lambda item, least, room, unique: Items((), item, least, least + room, unique and isinstance(item, OneOf)),
                  inner, st.integers(0, 2), st.integers(0, 1), st.booleans()),
        st.builds(lambda prefix, item, least: Items(tuple(prefix), item, least, 3),
                  st.lists(inner, min_size=1, max_size=2), st.one_of(st.none(), inner), st.integers(0, 2)),
        st.builds(lambda fields, least: Members(tuple(fields), min(least, len(fields))),
                  st.lists(st.builds(Field, st.sampled_from(["a", "b", "c"]), inner, st.booleans()), max_size=3,
                           unique_by=lambda field: field.name), st.integers(0, 2)),
        st.lists(inner, min_size=1, max_size=2).map(lambda options: AnyOf(tuple(options))),
    ),
    max_leaves=4,
)  # fmt: skip


def spoken(node: Node) -> set[str]:
    """Every value of a finite node as a text, straight from what nodes mean. Raises TooMany."""
    match node:
        case OneOf(choices):
            kept: dict[str, JsonValue] = {}
            for choice in choices:
                kept.setdefault(repr(choice.value) if isinstance(choice.value, bool) else f"={choice.value}", choice.value)
            return {compact_json(value) for value in kept.values()}
        case Substring(text):
            return {compact_json(text[span.start : span.end]) for span in node.spans}
        case AnyOf(options):
            return {text for option in options for text in spoken(option)}
        case Items(prefix, item, least, most, unique):
            assert most is not None
            rows: set[str] = set()
            for count in range(least, most + 1):
                parts = [*prefix, *[item] * count][:count]
                if len(parts) == count and None not in parts:
                    for row in few(product(*(sorted(spoken(part)) for part in parts if part is not None))):
                        if not unique or len(set(row)) == count:
                            rows.add(f"[{','.join(row)}]")
            return rows
        case Members(fields, least):
            ways: list[list[str]] = [
                [] if field.required else [""] for field in fields
            ]
            for way, field in zip(ways, fields, strict=True):
                way += [f"{compact_json(field.name)}:{text}" for text in sorted(spoken(field.node))]
            rows = set()
            for row in few(product(*ways)):
                kept_parts = [part for part in row if part]
                if len(kept_parts) >= least:
                    rows.add("{" + ",".join(kept_parts) + "}")
            return rows
        case _:
            raise AssertionError(node)


def few(found: Any) -> list[Any]:
    rows = list(islice(found, 4_001))
    if len(rows) > 4_000:
        raise TooMany
    return rows


@laws
@given(node=SMALL)
def test_the_productions_say_every_value_and_nothing_else(node: Node) -> None:
    try:
        expected, written = spoken(node), values_of(one_slot(node))
    except (TooMany, GrammarError):
        assume(False)
        return
    assert written == expected
    assert is_void(node, frozenset()) == (not expected)
    assert all(node.admits(json.loads(text), {}) for text in expected)


@laws
@given(grammar=grammars(recursive=True))
def test_equal_grammars_are_the_same_bytes(grammar: Grammar) -> None:
    try:
        first = to_gbnf(grammar), to_lark(grammar)
    except GrammarError:
        return
    again = Grammar(grammar.calls, grammar.max_calls, grammar.fallback)
    assert (to_gbnf(again), to_lark(again)) == first


@laws
@given(grammar=grammars())
def test_written_grammars_are_one_line_for_each_rule(grammar: Grammar) -> None:
    """No name or value of a spec ever breaks out of its literal."""
    try:
        gbnf, lark = to_gbnf(grammar), to_lark(grammar)
    except GrammarError:
        return
    names_of = [line.split(" ::= ")[0] for line in gbnf.split("\n")[:-1]]
    assert len(set(names_of)) == len(names_of)
    assert all(name.replace("-", "").isalnum() and name.isascii() for name in names_of)
    assert len(lark.split("\n")) == len(gbnf.split("\n")) + 1


@pytest.mark.parametrize("max_calls", [1, 2, 5])
def test_the_fallback_is_always_there_unless_it_is_ruled_out(max_calls: int) -> None:
    text = f"[{FALLBACK}]" if max_calls > 1 else FALLBACK
    for fallback in (True, False):
        grammar = bound({"a": RED}, max_calls=max_calls, fallback=fallback)
        assert (parse(text, grammar) is not None) is fallback
        assert outlines_reads(to_regex(grammar), [text]) == [fallback]


def test_a_grammar_with_nothing_to_say_is_an_error() -> None:
    with pytest.raises(GrammarError, match="nothing to say"):
        to_gbnf(Grammar((), fallback=False))
    assert language(Grammar(())) == {FALLBACK}


# ---- several calls -----------------------------------------------------------------------


def test_several_calls_are_a_list_of_at_most_so_many() -> None:
    grammar = bound({"a": {"const": 1}}, max_calls=2)
    none, one = '{"name":"f","arguments":{}}', '{"name":"f","arguments":{"a":1}}'
    pairs = {f"[{x},{y}]" for x in (none, one) for y in (none, one)}
    assert language(grammar) == {f"[{none}]", f"[{one}]", f"[{FALLBACK}]", *pairs}


def test_the_fallback_stands_alone() -> None:
    grammar = bound({"a": RED}, max_calls=3)
    call = '{"name":"f","arguments":{}}'
    for text in (f"[{FALLBACK},{call}]", f"[{call},{FALLBACK}]", f"[{FALLBACK},{FALLBACK}]", "[]", call):
        assert parse(text, grammar) is None
        assert llguidance_reads(to_lark(grammar), [text]) == [False]


# ---- objects -----------------------------------------------------------------------------


def test_any_subset_of_optional_slots_comes_in_spec_order() -> None:
    grammar = bound({"b": {"const": 1}, "a": {"const": 2}, "c": {"const": 3}})
    parts = ['"b":1', '"a":2', '"c":3']
    subsets = [[part for part, kept in zip(parts, mask, strict=True) if kept] for mask in product([0, 1], repeat=3)]
    expected = {'{"name":"f","arguments":{' + ",".join(subset) + "}}" for subset in subsets}
    assert language(grammar) == expected | {FALLBACK}
    assert parse('{"name":"f","arguments":{"a":2,"b":1}}', grammar) is None


@pytest.mark.parametrize("least", [0, 1, 2, 3])
@pytest.mark.parametrize("required", [(), (0,), (1,), (0, 2), (0, 1, 2)])
def test_an_object_has_its_required_members_and_its_least_number(least: int, required: tuple[int, ...]) -> None:
    fields = tuple(Field(name, OneOf((Choice(1),)), index in required) for index, name in enumerate("abc"))
    expected = {
        "{" + ",".join(f'"{name}":1' for name, kept in zip("abc", mask, strict=True) if kept) + "}"
        for mask in product([0, 1], repeat=3)
        if sum(mask) >= least and all(mask[index] for index in required)
    }
    assert values_of(one_slot(Members(fields, least))) == expected


def test_a_member_without_values_is_left_out_and_a_required_one_empties_the_object() -> None:
    empty, full = OneOf(()), OneOf((Choice(1),))
    assert values_of(one_slot(Members((Field("a", empty, False), Field("b", full, False))))) == {"{}", '{"b":1}'}
    assert values_of(one_slot(Members((Field("a", empty, True), Field("b", full, False))))) == set()


# ---- lists -------------------------------------------------------------------------------

BIT = OneOf((Choice(0), Choice(1)))
VOID = OneOf(())
LISTS: list[tuple[str, Items, list[list[JsonValue]]]] = [
    ("none or one", Items((), BIT, 0, 1), [[], [0], [1]]),
    ("exactly two", Items((), BIT, 2, 2), [[0, 0], [0, 1], [1, 0], [1, 1]]),
    ("distinct ones", Items((), BIT, 0, None, unique=True), [[], [0], [1], [0, 1], [1, 0]]),
    ("distinct ones, at least two", Items((), BIT, 2, None, unique=True), [[0, 1], [1, 0]]),
    ("distinct ones, at most one", Items((), BIT, 0, 1, unique=True), [[], [0], [1]]),
    ("too few for distinct ones", Items((), BIT, 3, None, unique=True), []),
    ("equal numbers are not distinct", Items((), OneOf((Choice(1), Choice(1.0), Choice(True))), 2, 2, unique=True), [[1, True], [True, 1]]),
    ("a tuple of distinct ones", Items((BIT, OneOf((Choice(1),))), None, 2, 2, unique=True), [[0, 1]]),
    ("a tuple and distinct ones", Items((OneOf((Choice(2),)),), BIT, 1, 2, unique=True), [[2], [2, 0], [2, 1]]),
    ("a tuple", Items((OneOf((Choice("a"),)), BIT), None, 0, 2), [[], ["a"], ["a", 0], ["a", 1]]),
    ("a tuple and one more", Items((OneOf((Choice("a"),)),), BIT, 1, 2), [["a"], ["a", 0], ["a", 1]]),
    ("a tuple that is cut short", Items((OneOf((Choice("a"),)), BIT), None, 0, 1), [[], ["a"]]),
    ("a tuple with a hole", Items((OneOf((Choice("a"),)), VOID), BIT, 0, 3), [[], ["a"]]),
    ("a tuple with a hole that is needed", Items((OneOf((Choice("a"),)), VOID), BIT, 2, 3), []),
    ("of nothing", Items((), VOID), [[]]),
    ("of nothing, at least one", Items((), VOID, 1), []),
    ("of lists", Items((), Items((), OneOf((Choice(5),)), 0, 1), 0, 1), [[], [[]], [[5]]]),
]


@pytest.mark.parametrize(("node", "expected"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS])
def test_a_list_keeps_its_bounds(node: Items, expected: list[list[JsonValue]]) -> None:
    assert values_of(one_slot(node)) == set(map(compact_json, expected))


@pytest.mark.parametrize(("least", "most"), [(0, 1_000), (3, 2_003), (1_500, 2_500), (1_200, None)])
def test_long_repetitions_keep_their_bounds(least: int, most: int | None) -> None:
    grammar = one_slot(Items((), OneOf((Choice(7),)), least, most))
    counts = sorted({max(0, least - 1), least, least + 1, 999, 1_000, 1_001, 2_000, (most or 2_600) - 1, most or 2_600, (most or 2_600) + 1})
    texts = [said([7] * count) for count in counts]
    expected = [least <= count and (most is None or count <= most) for count in counts]
    assert [parse(text, grammar) is not None for text in texts] == expected
    assert llguidance_reads(to_lark(grammar), texts) == expected
    assert outlines_reads(to_regex(grammar), texts) == expected


def test_distinct_values_without_end_are_refused() -> None:
    for node in (Items((), Substring("a b"), unique=True), Items((), OneOf(tuple(map(Choice, range(40)))), unique=True)):
        with pytest.raises(GrammarError, match="uniqueItems"):
            to_gbnf(one_slot(node))
    assert len(values_of(one_slot(Items((), OneOf(tuple(map(Choice, range(40)))), 0, 1, unique=True)))) == 41


# ---- strings -----------------------------------------------------------------------------


@pytest.mark.parametrize("utterance", [*UTTERANCES, "x", "a  b", 'a "quoted\\" \n word', "the U.K. and O'Neil's"])
def test_a_plain_string_is_every_span_and_no_other_text(utterance: str) -> None:
    node = Substring(utterance)
    assert values_of(one_slot(node)) == {compact_json(utterance[s.start : s.end]) for s in node.spans}


@pytest.mark.parametrize("utterance", ["", " ", "...", "？！"])
def test_a_string_without_a_span_is_not_sayable(utterance: str) -> None:
    assert values_of(one_slot(Substring(utterance))) == set()


@pytest.mark.parametrize(
    ("schema", "yes", "no"),
    [
        ({"maxLength": 3}, ["", "a", "東京都", "😀😀😀", '"\\\n', "\u2028\x7f\x00"], ["abcd", "a" * 4]),
        ({"minLength": 2, "maxLength": 2}, ["ab", "\n\n", "é京"], ["a", "abc", ""]),
        ({}, ["a" * 256, ""], ["a" * 257]),
        ({"pattern": "^[a-z]+-\\d$", "maxLength": 5}, ["abc-1", "z-9"], ["abcd-1", "a-", "-1", "A-1"]),
        ({"pattern": "ok"}, ["ok", "it is ok!", "ok" * 50], ["o k", "", "k" * 256]),
        ({"pattern": '^".\\\\$'}, ['"x\\', '"\n\\'.replace("\n", "é")], ['"x', "x\\", '"\n\\']),
        ({"pattern": "^[^a]{1,2}$"}, ["b", "\x01\x1f", "😀\n"], ["a", "ba", ""]),
        ({"allOf": [{"pattern": "^a"}, {"pattern": "z$"}], "maxLength": 4}, ["az", "a??z"], ["abz?", "z", "abbbz"]),
    ],
)
def test_free_text_keeps_its_bounds(schema: dict[str, Any], yes: list[str], no: list[str]) -> None:
    grammar = bound({"v": {"type": "string", "x-value": "free", **schema}})
    texts = [said(value) for value in (*yes, *no)]
    expected = [True] * len(yes) + [False] * len(no)
    assert [parse(text, grammar) is not None for text in texts] == expected
    assert llguidance_reads(to_lark(grammar), texts) == expected


@pytest.mark.parametrize("text", ['"\\u0041"', '"\\/"', '"\\u00e9"', '"\\ud83d\\ude00"', "1.0", "1e0", "01", "-0", '"a" ', ' "a"'])
def test_a_value_has_one_spelling_only(text: str) -> None:
    node = AnyOf((FreeText(0, 5), OneOf((Choice(1), Choice(0)))))
    grammar = one_slot(node)
    spelt = '{"name":"f","arguments":{"v":' + text + "}}"
    assert parse(spelt, grammar) is None
    assert llguidance_reads(to_lark(grammar), [spelt]) == [False]


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"name":"f"}', '{"arguments":{},"name":"f"}', '{"name":"f","arguments":[]}', '{"name":1,"arguments":{}}',
     '{"name":"f","arguments":{},"x":1}', '{"name":"f","arguments":{"v":"red","v":"red"}}', '{"name":"g","arguments":{}}', "NaN",
     "[" * 5_000, '{"name":"f","arguments":{"v":' + "9" * 5_000 + "}}", "\ud800", '{"name":"f","arguments":null}'],
)  # fmt: skip
def test_what_is_no_call_is_no_call(text: str) -> None:
    assert parse(text, bound({"v": RED})) is None


def test_letters_are_written_as_themselves() -> None:
    """The model never sees an escape for what it knows as a letter."""
    moods = ["楽しい", "かなしい", "😢", "👍🏽", "é", "a/b", "<b>"]
    grammar = bound({"v": {"enum": moods}}, "とても😢です")
    for text in (to_gbnf(grammar), to_lark(grammar), to_regex(grammar)):
        assert "\\u" not in text and all(mood[0] in text for mood in moods)
    assert values_of(grammar) == {f'"{mood}"' for mood in moods}


def test_keys_keep_the_order_of_the_spec_after_it_was_stored() -> None:
    properties = {"why": {"type": "string", "maxLength": 40}, "level": RED, "at": {"type": "object", "properties": {"z": RED, "a": RED}}}
    [function] = read_specs([{"name": "f", "parameters": {"type": "object", "properties": properties}}])
    [again] = read_specs([json.loads(json.dumps(function.native))])
    assert again == function
    arguments = {"why": "red", "level": "red", "at": {"z": "red", "a": "blue"}}
    for one in (function, again):
        grammar = Grammar((Binder("it is red").bind(one),))
        assert parse(compact_json({"name": "f", "arguments": arguments}), grammar) is not None
        assert parse(compact_json({"name": "f", "arguments": dict(reversed(arguments.items()))}), grammar) is None


# ---- unions and recursion ----------------------------------------------------------------


def test_options_with_other_orders_are_all_sayable_and_read_as_written() -> None:
    one = OneOf((Choice(1),))
    node = AnyOf((Members((Field("a", one, False), Field("b", one, False))), Members((Field("b", one, True), Field("a", one, True)))))
    grammar = one_slot(node)
    assert values_of(grammar) == {"{}", '{"a":1}', '{"b":1}', '{"a":1,"b":1}', '{"b":1,"a":1}'}
    calls = parse(said({"b": 1, "a": 1}), grammar)
    assert calls is not None and list(calls[0].arguments["v"]) == ["b", "a"]
    assert canonical(grammar.calls[0], {"v": {"b": 1, "a": 1}}) == {"v": {"a": 1, "b": 1}}


def test_recursion_ends_anywhere_and_is_no_regex() -> None:
    tree = Items((), AnyOf((OneOf((Choice(1),)), Defined("tree"))), 0, 2)
    grammar = one_slot(Defined("tree"), tree=tree)
    yes: list[JsonValue] = [[], [1], [[]], [[], []], [[[[[]]]], 1]]
    no: list[JsonValue] = [1, [2], [1, 1, 1], [[1, [2]]], {}]
    texts = [said(value) for value in (*yes, *no)]
    assert [parse(text, grammar) is not None for text in texts] == [True] * len(yes) + [False] * len(no)
    assert llguidance_reads(to_lark(grammar), texts) == [True] * len(yes) + [False] * len(no)
    with pytest.raises(GrammarError, match="recursive"):
        to_regex(grammar)


def test_a_definition_without_values_is_found_through_others() -> None:
    definitions = {
        "a": Members((Field("b", Defined("b"), True),)), "b": AnyOf((Defined("a"), OneOf(()))),
        "c": Items((), Defined("a")), "d": Items((Defined("c"), Defined("b")), None, 1, 2),
    }  # fmt: skip
    assert fillable(definitions) == {"c", "d"}
    assert values_of(one_slot(Defined("d"), **definitions)) == {"[[]]"}


# ---- names -------------------------------------------------------------------------------

LABELS = ["a.b/c", "a b", "a_b", "a-b", "A-B", 'say "hi"', "back\\slash", "場所", "🎉🎉", "n" * 200, "ß", "$[x]", "root", "call-0", "ROOT",
          "char", "tab\there", "%{}", "\u00c9", "E\u0301", "<|im_end|>"]  # fmt: skip


def test_labels_and_slots_of_any_letters_come_back_exactly() -> None:
    specs = [{"name": label, "parameters": {"properties": {name: {"enum": [name]} for name in LABELS}}} for label in LABELS]
    functions = read_specs(specs)
    grammar = Grammar(tuple(Binder("x").bind(function) for function in functions))
    texts = [compact_json({"name": label, "arguments": {label: label}}) for label in LABELS]
    full = compact_json({"name": LABELS[0], "arguments": {name: name for name in LABELS}})
    for text in [*texts, full]:
        calls = parse(text, grammar)
        assert calls is not None and calls[0].to_json() == text
    assert llguidance_reads(to_lark(grammar), [*texts, full]) == [True] * (len(texts) + 1)


@laws
@given(pair=st.lists(names, min_size=2, max_size=2, unique=True))
def test_two_names_never_become_one(pair: list[str]) -> None:
    fields = tuple(Field(name, OneOf((Choice(index),)), False) for index, name in enumerate(pair))
    texts = language(Grammar((CallGrammar("f", Members(fields)),), fallback=False))
    assert sorted(map(len, (json.loads(text)["arguments"] for text in texts))) == [0, 1, 1, 2]
    assert {name for text in texts for name in json.loads(text)["arguments"]} == set(pair)
