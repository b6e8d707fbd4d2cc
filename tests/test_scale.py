"""Large specs stay linear and whole, in counts: no test here looks at a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from readers import llguidance_reads

from constrained_du.domain.sayable import _have_room
from constrained_du.errors import GrammarError
from constrained_du.grammar.candidates import Candidates, read_entities
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import MAX_REGEX, to_gbnf, to_lark, to_regex
from constrained_du.grammar.grammar import CallGrammar, Grammar, OneOf
from constrained_du.grammar.productions import lower
from constrained_du.grammar.surface import parse
from constrained_du.specs.spec import read_specs
from constrained_du.types import Span, compact_json

UTTERANCE = "please order product 00417 for Kim in Oslo tomorrow"


def bound(specs: list[dict[str, Any]], utterance: str = UTTERANCE, candidates: Candidates = Candidates()) -> Grammar:  # noqa: B008
    binder = Binder(utterance, candidates)
    return Grammar(tuple(binder.bind(function) for function in read_specs(specs)))


def functions(count: int) -> Grammar:
    return bound([
        {"name": f"tool_{n:05d}", "parameters": {"properties": {"what": {"type": "string"}, "size": {"enum": ["small", "large"]}}}}
        for n in range(count)
    ])  # fmt: skip


def enum(count: int) -> Grammar:
    return bound([{"name": "order", "parameters": {"properties": {"item": {"enum": [f"Product {n:05d}" for n in range(count)]}}}}])


def optional_slots(count: int) -> Grammar:
    return bound([{"name": "f", "parameters": {"properties": {f"slot_{n:03d}": {"type": "boolean"} for n in range(count)}}}])


def words(count: int) -> Grammar:
    properties = {name: {"type": "string"} for name in ("a", "b", "c")}
    return bound([{"name": "f", "parameters": {"properties": properties}}], " ".join(f"word{n:04d}" for n in range(count)))


def candidates(count: int) -> Grammar:
    utterance = " ".join(f"p{n:05d}" for n in range(count))
    given = read_entities({"product": [(7 * n, 7 * n + 6, f"P-{n}") for n in range(count)]}, utterance, {"product"})
    return bound([{"name": "order", "parameters": {"properties": {"item": {"type": "product"}}}}], utterance, given)


def required_members(count: int) -> Grammar:
    properties = {f"m{n:03d}": {"type": "boolean"} for n in range(count)}
    inner = {"type": "object", "properties": properties, "required": list(properties)[::2], "minProperties": 3}
    return bound([{"name": "f", "parameters": {"properties": {"v": inner}}}])


GROWING: list[tuple[str, Callable[[int], Grammar], int]] = [
    ("functions", functions, 100), ("values of an enum", enum, 1_000), ("optional slots", optional_slots, 30),
    ("words of the utterance", words, 60), ("candidates", candidates, 500), ("members of an object", required_members, 20),
]  # fmt: skip


@pytest.mark.parametrize(("make", "size"), [row[1:] for row in GROWING], ids=[row[0] for row in GROWING])
@pytest.mark.parametrize("write", [to_gbnf, to_lark])
def test_ten_times_as_much_is_written_in_about_ten_times_the_length(
    write: Callable[[Grammar], str], make: Callable[[int], Grammar], size: int
) -> None:
    small, large = len(write(make(size))), len(write(make(10 * size)))
    assert large <= 13 * small


@pytest.mark.parametrize(("make", "size"), [row[1:] for row in GROWING], ids=[row[0] for row in GROWING])
def test_ten_times_as_much_has_about_ten_times_the_rules(make: Callable[[int], Grammar], size: int) -> None:
    small, large = len(lower(make(size)).rules), len(lower(make(10 * size)).rules)
    assert large <= 11 * small


def test_a_thousand_functions_are_all_sayable_and_no_other() -> None:
    grammar = functions(1_000)
    texts = [compact_json({"name": f"tool_{n:05d}", "arguments": {"what": "product 00417", "size": "large"}}) for n in (0, 417, 999, 1_000)]
    assert [parse(text, grammar) is not None for text in texts] == [True, True, True, False]
    assert llguidance_reads(to_lark(grammar), texts) == [True, True, True, False]


def test_fifty_thousand_values_are_all_sayable_and_no_other() -> None:
    grammar = enum(50_000)
    texts = [compact_json({"name": "order", "arguments": {"item": f"Product {n:05d}"}}) for n in (0, 417, 49_999, 50_000)]
    assert [parse(text, grammar) is not None for text in texts] == [True, True, True, False]
    assert llguidance_reads(to_lark(grammar), texts) == [True, True, True, False]
    node = grammar.calls[0].slots.fields[0].node
    assert isinstance(node, OneOf) and len(node.keys) == len(node.choices) == 50_000


def test_values_with_long_common_beginnings_are_written_once() -> None:
    """The beginning of 5,000 values, each 200 letters, stands there once and not 5,000 times."""
    values = ["x" * 195 + f"{n:05d}" for n in range(5_000)]
    text = to_gbnf(bound([{"name": "f", "parameters": {"properties": {"v": {"enum": values}}}}]))
    assert len(text) < 200 + 5_000 * 30


def test_values_that_begin_with_each_other_do_not_nest_without_end() -> None:
    values = ["a" * n for n in range(1, 801)]
    grammar = bound([{"name": "f", "parameters": {"properties": {"v": {"enum": values}}}}])
    texts = [compact_json({"name": "f", "arguments": {"v": "a" * n}}) for n in (1, 61, 800, 801)]
    assert llguidance_reads(to_lark(grammar), texts) == [True, True, True, False]


def test_ten_thousand_candidates_are_all_sayable() -> None:
    grammar = candidates(10_000)
    texts = [compact_json({"name": "order", "arguments": {"item": f"P-{n}"}}) for n in (0, 9_999, 10_000)]
    assert [parse(text, grammar) is not None for text in texts] == [True, True, False]
    assert llguidance_reads(to_lark(grammar), texts) == [True, True, False]


def test_thirty_optional_slots_are_linear_in_every_notation_but_the_regex_which_is_square() -> None:
    small, large = to_regex(optional_slots(30)), to_regex(optional_slots(60))
    assert len(large) <= 4.5 * len(small)
    assert len(to_gbnf(optional_slots(30))) < 30 * 160


def test_a_regex_too_long_is_an_error_that_names_the_way_out() -> None:
    with pytest.raises(GrammarError, match=f"longer than {MAX_REGEX}.*--gbnf"):
        to_regex(words(600))
    assert len(to_gbnf(words(600))) < 60_000


def test_too_many_spans_for_a_bounded_text_are_an_error() -> None:
    spec = {"name": "f", "parameters": {"properties": {"v": {"type": "string", "minLength": 2}}}}
    with pytest.raises(GrammarError, match="spans"):
        bound([spec], " ".join(f"w{n}" for n in range(800)))


def test_a_text_used_by_many_slots_is_written_once() -> None:
    """Forty slots over one utterance share its words."""
    properties = {f"s{n:02d}": {"type": "string"} for n in range(40)}
    grammar = bound([{"name": "f", "parameters": {"properties": properties}}])
    assert sum(name.startswith("span-") for name in lower(grammar).rules) == 1


def test_recursive_definitions_do_not_multiply() -> None:
    names = [f"d{n}" for n in range(14)]
    every = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    definitions = {name: {"type": "object", "properties": every} for name in names}
    parameters = {"type": "object", "properties": {"v": {"$ref": "#/$defs/d0"}}, "$defs": definitions}
    [function] = read_specs([{"name": "f", "parameters": parameters}])
    text = to_lark(Grammar((Binder("x").bind(function),)))
    assert len(text) < 40_000


# ---- places for values -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needs", "room"),
    [
        ([], True),
        ([((0, 1),)] * 2, False),
        ([((0, 1), (2, 3))] * 2, True),
        ([((0, 1), (2, 3))] * 3, False),
        ([((0, 5),), ((0, 2), (6, 8)), ((1, 3), (6, 7))], False),
        ([((0, 5),), ((0, 2), (6, 8)), ((1, 3), (9, 10))], True),
        ([tuple((2 * n, 2 * n + 1) for n in range(12))] * 13, False),
        ([tuple((2 * n, 2 * n + 1) for n in range(300))] * 300, True),
        ([((2 * n, 2 * n + 1),) for n in range(3_000)], True),
    ],
    ids=["none", "one place for two", "two for two", "two for three", "no way", "one way", "twelve for thirteen", "very many", "a long row"],
)  # fmt: skip
def test_values_need_places_that_do_not_overlap(needs: list[tuple[tuple[int, int], ...]], room: bool) -> None:
    assert _have_room([tuple(Span(*span) for span in spans) for spans in needs]) is room


def test_a_call_grammar_is_a_value() -> None:
    """Equal specs and utterances give equal grammars."""
    assert optional_slots(3) == optional_slots(3)
    assert isinstance(optional_slots(3).calls[0], CallGrammar)
