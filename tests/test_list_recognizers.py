"""Values of lists are found wherever they are said, and their spans are those of the original text."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from constrained_du.errors import SpecError
from constrained_du.recognizers.folding import fold, fold_expression
from constrained_du.recognizers.lists import (
    FoundValue,
    Instance,
    ListRecognizer,
    PatternRecognizer,
    Recognizer,
    read_recognizers,
)
from constrained_du.recognizers.surface_index import is_one_edit


def listing(*instances: tuple[str, list[str]]) -> ListRecognizer:
    return ListRecognizer("t", "", tuple(Instance(label, tuple(texts)) for label, texts in instances))


def said(recognizer: Recognizer, text: str) -> list[tuple[str, str]]:
    """What was found: the piece of the text and the value."""
    return [(text[found.start : found.end], found.value) for found in recognizer.find(text)]


PLACES = listing(
    ("zurich", ["Zürich"]),
    ("sao-paulo", ["São Paulo"]),
    ("main-street", ["Hauptstraße"]),
    ("istanbul", ["İstanbul"]),
    ("office", ["office"]),
    ("new-york", ["New York", "NYC"]),
    ("york", ["York"]),
    ("york-county", ["york"]),
    ("kyoto", ["京都"]),
    ("gum", ["ガム"]),
    ("seoul", ["서울"]),
    ("c++", ["C++"]),
    ("five", ["5"]),
    ("ess", ["s"]),
    ("luigi", ["Luigi's"]),
)

FOUND: list[tuple[str, list[tuple[str, str]]]] = [
    ("to Zürich!", [("Zürich", "zurich")]),
    ("to Zu\u0308rich!", [("Zu\u0308rich", "zurich")]),
    ("to ZÜRICH", [("ZÜRICH", "zurich")]),
    ("SÃO  \t PAULO now", [("SÃO  \t PAULO", "sao-paulo")]),
    ("auf der HAUPTSTRASSE 3", [("HAUPTSTRASSE", "main-street")]),
    ("İİ İSTANBUL", [("İSTANBUL", "istanbul")]),
    ("istanbul", [("istanbul", "istanbul")]),
    ("the oﬃce", [("oﬃce", "office")]),
    (
        "ＮＥＷ　ＹＯＲＫ",
        [("ＮＥＷ　ＹＯＲＫ", "new-york"), ("ＹＯＲＫ", "york"), ("ＹＯＲＫ", "york-county")],
    ),
    ("nyc", [("nyc", "new-york")]),
    ("yorkshire or newyorkers", []),
    ("明日の京都の天気", [("京都", "kyoto")]),
    ("ｶﾞﾑとガム", [("ｶﾞﾑ", "gum"), ("ガム", "gum")]),
    ("서울에서 만나", [("서울", "seoul")]),
    (unicodedata.normalize("NFD", "서울"), [(unicodedata.normalize("NFD", "서울"), "seoul")]),
    ("use c++!", [("c++", "c++")]),
    ("5 of 55, 5:30, 2.5, 1,500 and 5.", [("5", "five"), ("5", "five")]),
    ("it's", []),
    ("luigi’s", [("luigi’s", "luigi")]),
    ("Yo\u00adrk", [("Yo\u00adrk", "york"), ("Yo\u00adrk", "york-county")]),
    ("", []),
    ("   ", []),
    ("\u200b\u0301\ud800", []),
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_a_value_is_found_in_every_spelling_of_it(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(PLACES, text) == expected
    assert all(found.exact for found in PLACES.find(text))


def test_spans_are_code_points_of_the_original() -> None:
    assert PLACES.find("😀 İ ﬃ: Zu\u0308rich") == (FoundValue(7, 14, "zurich"),)


def test_nested_and_overlapping_values_are_all_found_the_longest_first() -> None:
    recognizer = listing(
        ("a", ["red wine"]), ("b", ["wine glass"]), ("c", ["wine"]), ("d", ["red wine glass"])
    )
    assert said(recognizer, "a red wine glass") == [
        ("red wine glass", "d"), ("wine glass", "b"), ("red wine", "a"), ("wine", "c"),
    ]  # fmt: skip


def test_several_values_of_one_word_are_all_found() -> None:
    recognizer = listing(("season", ["spring", "Spring"]), ("water", ["spring"]))
    assert said(recognizer, "in spring") == [("spring", "season"), ("spring", "water")]


SLIPS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("Barcelona", "to barcelone", [("barcelone", "x")]),
    ("Barcelona", "to barclona", [("barclona", "x")]),
    ("Barcelona", "to barcellona", [("barcellona", "x")]),
    ("Barcelona", "to bacrelona", [("bacrelona", "x")]),
    ("Barcelona", "to barecl", []),
    ("Barcelona", "to barsalona", []),
    ("Barcelona", "rcelona", []),
    ("pizza", "two pizzas, please", [("pizzas", "x")]),
    ("abcdef", "abdcef", [("abdcef", "x")]),
    ("ice cream", "an icecream", [("icecream", "x")]),
    ("New York", "in new yrok today", [("new yrok", "x")]),
    ("rice", "nice", []),
    ("room 12", "room 13", []),
    ("Product 00004", "product 00005", []),
    ("スターバックス", "スターバクスで", [("スターバクス", "x")]),
    ("スターバックス", "スターバック", []),
    ("Barcelona", "barcelona", [("barcelona", "x")]),
]


@pytest.mark.parametrize(("expression", "text", "expected"), SLIPS)
def test_one_slip_in_a_longer_word_is_forgiven_and_told(
    expression: str, text: str, expected: list[tuple[str, str]]
) -> None:
    found = listing(("x", [expression])).find(text)
    assert [(text[one.start : one.end], one.value) for one in found] == expected
    assert all(one.exact == (text == "barcelona") for one in found)


def test_what_is_exactly_one_value_is_not_another_with_a_slip() -> None:
    recognizer = listing(("parks", ["parks"]), ("paris", ["paris"]))
    assert recognizer.find("parks") == (FoundValue(0, 5, "parks"),)
    assert recognizer.find("parkz") == (FoundValue(0, 5, "parks", exact=False),)


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [("abcde", "abcde", False), ("abcde", "abXde", True), ("abcde", "abde", True), ("abcde", "badce", False)],
)
def test_one_edit_is_one_edit(one: str, other: str, near: bool) -> None:
    assert is_one_edit(one, other) is is_one_edit(other, one) is near


@given(st.text("abİßﬁ京カﾞ\u0301\u0308 e가\u1100\u1161\u11a8\u00ad’5.¸ﷺ\u3000", max_size=12))
@example("ﾞ")
@example("\u0301a")
def test_folding_piecewise_and_whole_agree_and_offsets_stay_inside(text: str) -> None:
    folded = fold(text)
    assert fold_expression(text) == " ".join(folded.text.split())
    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= s < e <= len(text) for s, e in zip(folded.starts, folded.ends, strict=True))
    assert len(folded.may_start) == len(folded.may_end) == len(folded.text) + 1


@given(
    st.text(max_size=8),
    st.text(min_size=1, max_size=8).filter(lambda t: fold_expression(t) and "\0" not in t),
)
@example("", "0\x85¸")
def test_an_expression_standing_alone_is_found_as_itself(before: str, expression: str) -> None:
    text = before + " \n" + expression
    found = listing(("x", [expression])).find(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    if fold_expression(expression)[0].isalnum():
        assert any(one.exact and one.start >= len(before) for one in found)


# -- patterns -----------------------------------------------------------------------------


def test_a_pattern_finds_whole_words_only() -> None:
    recognizer = PatternRecognizer("flight", "", r"(?i)[a-z]{2}\d{3,4}")
    assert said(recognizer, "KL1234 and xKL1234y, 京kl123の") == [("KL1234", "KL1234"), ("kl123", "kl123")]
    assert recognizer.find("😀é AB123") == (FoundValue(3, 8, "AB123"),)
    assert recognizer.find("\ud800 AB123") == (FoundValue(2, 7, "AB123"),)


def test_no_pattern_searches_endlessly() -> None:
    recognizer = PatternRecognizer("a", "", r"((a*)*)*c")
    start = time.perf_counter()
    assert recognizer.find("a" * 20_000 + "b") == ()
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("pattern", ["(a", "(?!x)y", r"(a)\1", "a{5000}", "(a{1000}){1000}", "[z-a]"])
def test_a_pattern_that_cannot_be_obeyed_is_refused(pattern: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_recognizers({"t": {"pattern": pattern}})
    assert caught.value.path == "$.t.pattern"


# -- documents ----------------------------------------------------------------------------

SIZES = {
    "name": "pizza size",
    "rec_type": "list",
    "description": "how large",
    "instances": [
        {"label": "S", "expressions": ["small", "little"]},
        {"label": "L", "expressions": ["large"]},
        {"label": "S", "expressions": ["tiny", "small"]},
    ],
}


def test_both_forms_are_read_and_equal_labels_are_merged(tmp_path: Path) -> None:
    path = tmp_path / "recognizers.json"
    path.write_text(json.dumps({"recognizers": {"Size": SIZES}, "slots": {"size": "Size"}}))
    recognizers, slots = read_recognizers(path)
    assert slots == {"size": "Size"}
    flat = {key: value for key, value in SIZES.items() if key != "rec_type"}
    assert read_recognizers({"Size": flat}) == (recognizers, {})
    size = recognizers["Size"]
    assert (size.name, size.description) == ("pizza size", "how large")
    assert isinstance(size, ListRecognizer)
    assert size.instances == (Instance("S", ("small", "little", "tiny")), Instance("L", ("large",)))
    assert said(size, "a tiny or LARGE one") == [("LARGE", "L"), ("tiny", "S")]


def test_the_native_form_reads_as_an_equal_recognizer() -> None:
    document: dict[str, Any] = {"Size": SIZES, "Code": {"pattern": r"\d+", "name": "code"}}
    recognizers, _ = read_recognizers(document)
    assert read_recognizers({label: one.to_native() for label, one in recognizers.items()}) == (
        recognizers,
        {},
    )


def test_an_instance_without_expressions_is_said_as_its_label() -> None:
    recognizers, _ = read_recognizers({"t": {"instances": [{"label": "Red"}, "green"]}})
    assert said(recognizers["t"], "red green") == [("green", "green"), ("red", "Red")]


def instances(*entries: object) -> dict[str, Any]:
    return {"t": {"instances": list(entries)}}


REFUSED: list[tuple[object, str, str]] = [
    ([], "$", "list"),
    (5, "$", "5"),
    ({"t": 5}, "$.t", "5"),
    ({"": {"pattern": "a"}}, "$.", "empty"),
    ({"t": {}}, "$.t", "neither"),
    ({"t": {"pattern": "a", "instances": ["a"]}}, "$.t", "one of the two"),
    ({"t": {"pattern": "a", "rec_type": "list"}}, "$.t.rec_type", "list"),
    ({"t": {"instances": ["a"], "rec_type": 5}}, "$.t.rec_type", "5"),
    ({"t": {"pattern": 5}}, "$.t.pattern", "5"),
    ({"t": {"pattern": "a", "name": 5}}, "$.t.name", "5"),
    ({"t": {"pattern": "a", "description": [1]}}, "$.t.description", "list"),
    ({"t": {"instances": {}}}, "$.t.instances", "object"),
    (instances(), "$.t.instances", "at least one"),
    (instances(5), "$.t.instances[0]", "5"),
    (instances("a", {"expressions": ["b"]}), "$.t.instances[1].label", "null"),
    (instances({"label": " "}), "$.t.instances[0].label", "empty"),
    (instances({"label": "a", "expressions": []}), "$.t.instances[0].expressions", "no expressions"),
    (instances({"label": "a", "expressions": "b"}), "$.t.instances[0].expressions", "list"),
    (instances({"label": "a", "expressions": ["b", ""]}), "$.t.instances[0].expressions[1]", "empty"),
    (instances({"label": "a", "expressions": [5]}), "$.t.instances[0].expressions[0]", "5"),
    (instances({"label": "a", "expressions": ["b\0"]}), "$.t.instances[0].expressions[0]", "NUL"),
    (instances({"label": "a", "expressions": ["\u200d"]}), "$.t.instances[0].expressions[0]", "visible"),
    (instances({"label": "a", "expressions": ["\ud800"]}), "$.t.instances[0].expressions[0]", "surrogate"),
    ({"recognizers": {}, "slots": {"a": "T"}}, "$.slots.a", '"T"'),
    ({"recognizers": {}, "slots": ["a"]}, "$.slots", "object"),
    ("no/such.json", "$", "no/such.json"),
]


@pytest.mark.parametrize(("source", "path", "words"), REFUSED)
def test_a_malformed_recognizer_is_refused_with_its_place(source: object, path: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_recognizers(source)
    assert caught.value.path == path
    assert words in caught.value.problem


def test_fifty_thousand_values_are_built_and_searched_quickly() -> None:
    entries = [{"label": f"P{i}", "expressions": [f"Product {i:05d}"]} for i in range(50_000)]
    start = time.process_time()
    recognizers, _ = read_recognizers(instances(*entries))
    built = time.process_time() - start
    text = "please send product 00004 and Prodct 49999 to the office tomorrow"
    start = time.process_time()
    found = recognizers["t"].find(text)
    searched = time.process_time() - start
    assert [(one.value, one.exact) for one in found] == [("P4", True), ("P49999", False)]
    assert built < 10, "about 1 s on a quiet machine"
    assert searched < 0.25, "about 1 ms on a quiet machine"
