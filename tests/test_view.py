"""What evidence sees: quotations and words that signs join in an utterance, and other words for listed values."""

from __future__ import annotations

import pytest

from constrained_du.slots.places import place
from constrained_du.slots.span_features import Spans
from constrained_du.slots.view import View
from constrained_du.specs.spec import read_specs
from constrained_du.types import Span


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("rename it to 'Old Barn' please", ["Old Barn"]),
        ('write "buy 2 nails" and “call Ann”', ["buy 2 nails", "call Ann"]),
        ("it's Tom's boat, don't sell it", []),
        ("a rope of 6' and 'the net'", ["the net"]),
        ("['fig', 'plum']", ["fig", "plum"]),
        ("把“梨”加到《周末》", ["梨", "周末"]),
        ("「塩」を買う", ["塩"]),
        ("an 'open end", []),
    ],
)
def test_what_stands_between_quotation_marks_is_quoted(text: str, quoted: list[str]) -> None:
    view = View(text)
    assert [text[view.units[first].start : view.units[last].end] for first, last in view.quoted] == quoted


def _spans(text: str) -> dict[str, tuple[bool, bool]]:
    view = View(text)
    return {
        text[view.units[first].start : view.units[last].end]: (view.cuts_quoted(first, last), view.cuts_joined(first, last))
        for first, last in view.spans(12)
    }


def test_a_span_takes_a_quotation_whole_or_leaves_it() -> None:
    spans = _spans("play 'Old Barn' now")
    assert not spans["Old Barn"][0] and not spans["play"][0] and not spans["play 'Old Barn' now"][0]
    assert spans["Old"][0] and spans["'Old Barn"][0] and spans["Barn' now"][0] and spans["play '"][0]


def test_a_span_does_not_divide_what_a_sign_joins() -> None:
    spans = _spans("send parcel 77-B - the blue one")
    assert not spans["77-B"][1] and not spans["parcel 77-B"][1] and not spans["the blue one"][1]
    assert spans["77"][1] and spans["B"][1] and spans["parcel 77"][1]


def test_what_follows_a_colon_to_the_end_is_told_apart() -> None:
    view = View("jot down: two eggs, flour.")
    marked = [
        view.text[view.units[first].start : view.units[last].end]
        for first, last in view.spans(12)
        if Spans(view).features(first, last).get("after colon")
    ]
    assert marked == ["two eggs, flour"]


def test_a_state_that_chinese_glosses_name_is_known_with_other_endings() -> None:
    slot = {"enum": ["shut", "ajar", "sealed"], "description": "门窗的样子：shut 关上，ajar 关着，sealed 封好"}
    [function] = read_specs([{"name": "look", "parameters": {"properties": {"how": slot}}}])
    aliases = place(function.slot["how"]).aliases
    assert {"关上", "关了", "关好"} <= set(aliases["shut"]) and "关着" not in aliases["shut"]
    assert "关着" in aliases["ajar"] and "封了" in aliases["sealed"]


@pytest.mark.parametrize(
    ("text", "phrase", "kind"),
    [
        ("varnish it on Friday morning", "Friday morning", "datetime"),
        ("songs from the nineties", "the nineties", "date"),
        ("a bench of the 1970s", "the 1970s", "date"),
        ("dry within two weeks", "within two weeks", "date"),
        ("in the next ten minutes", "in the next ten minutes", "time"),
        ("sand it in the evening", "in the evening", "time"),
        ("后天上午打磨", "后天上午", "datetime"),
        ("九十年代的椅子", "九十年代", "date"),
        ("三天以内晾干", "三天以内", "date"),
        ("明日の夕方に塗る", "明日の夕方", "datetime"),
        ("varnish it this month", "this month", "date"),
        ("a bench for next winter", "next winter", "date"),
        ("下个月刷漆", "下个月", "date"),
        ("来月に塗る", "来月", "date"),
        ("fire it on Friday August 7th 2020", "Friday August 7th 2020", "date"),  # a Friday; and where it is none:
        ("fire it on Monday August 7th 2020", "Monday August 7th 2020", "date"),
        ("fire it on August 7th, Friday", "August 7th, Friday", "date"),
        ("fire it in 20 minutes", "in 20 minutes", "time"),
        ("fire it in a few days", "in a few days", "date"),
        ("fire it in a couple of hours", "in a couple of hours", "time"),
    ],
)
def test_phrases_of_time_that_are_no_moment_have_a_kind(text: str, phrase: str, kind: str) -> None:
    assert {text[span.start : span.end]: kind for span, kind in View(text).kinds.items()}[phrase] == kind


def test_a_verb_before_a_date_is_no_part_of_it() -> None:
    view = View("the glue is in 3 days")
    first, last = view.within(Span(9, 21))
    assert view.shape(first, last) == "words" and view.shape(first + 1, last) == "date"


def test_a_value_is_not_taken_across_the_end_of_a_sentence() -> None:
    view = View("any other lathe? I like the small one")
    first, last = view.within(Span(4, 36))
    assert Spans(view).features(first, last)["sentence inside"] == 1.0
    assert "sentence inside" not in Spans(view).features(first, first + 1)


def test_a_month_inside_a_moment_is_no_phrase_of_its_own() -> None:
    text = "sand it on the 4th of this month"
    days = {text[span.start : span.end] for span, kind in View(text).kinds.items() if kind == "date"}
    assert days == {"the 4th of this month", "4th of this month"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("请把砂纸放在工具箱里", "请|把|砂纸|放在|工具箱|里"),
        ("用Bosch电钻打孔", "用|电钻|打孔"),
        ("買った木を切って", "買った|木を|切って"),
    ],
)
def test_a_phrase_begins_where_a_word_does(text: str, words: str) -> None:
    view = View(text)
    starts = [unit.start for index, unit in enumerate(view.units) if view.is_unspaced[index] and view.starts_phrase(index)]
    said = words.split("|")
    assert starts == [text.index(word) for word in said]
