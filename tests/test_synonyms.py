"""What listed values are called, and what tells a value from the words beside it; own domain: a garden centre."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from constrained_du import Converter
from constrained_du.recognizers.numbers import find_numbers
from constrained_du.recognizers.times import find_times
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.measures import is_scale, unit_beside
from constrained_du.slots.operators import corrects, forbidden, without_idioms
from constrained_du.slots.places import Place, place
from constrained_du.slots.slot_features import cue
from constrained_du.slots.span_features import goes_on
from constrained_du.slots.view import View
from constrained_du.specs.spec import Function, read_specs
from constrained_du.text.lexicon import stem
from constrained_du.text.synonyms import akin, inflects, misspelt, other_names, unit
from constrained_du.text.turns import ends, ranks
from constrained_du.text.words import is_code
from constrained_du.types import Span

WEEKDAY = datetime(2027, 5, 12, 9, 0)  # a Wednesday


def function(**slots: dict[str, Any]) -> Function:
    return read_specs([{"label": "tend", "name": ["tend"], "parameters": {"properties": slots}}])[0]


def slot(name: str, description: str = "", **schema: Any) -> Place:
    return place(function(**{name: {"type": "string", "description": description, **schema}}).slot[name])


def where(text: str, words: str) -> tuple[View, int, int]:
    view, start = View(text), text.rindex(words)
    return view, *view.within(Span(start, start + len(words)))


def span(text: str, words: str) -> Span:
    return Span(text.rindex(words), text.rindex(words) + len(words))


@pytest.mark.parametrize(
    ("value", "values", "name"),
    [
        ("g", ("g", "kg"), "gram"),
        ("EUR", ("EUR", "USD"), "euro"),
        ("weekly", ("daily", "weekly"), "every week"),
        ("l", ("ml", "l"), "litre"),
        ("l", ("s", "m", "l"), "large"),
        ("m", ("m", "km"), "metre"),
        ("ja", ("en", "ja"), "japanese"),
        ("fri", ("fri", "sat"), "friday"),
    ],
)
def test_listed_values_have_the_names_that_people_use(value: str, values: tuple[str, ...], name: str) -> None:
    assert name in other_names(value, frozenset(map(str.casefold, values)))


def test_a_name_that_is_listed_itself_is_nobody_elses() -> None:
    assert "euro" not in other_names("EUR", frozenset(("eur", "euro")))


@pytest.mark.parametrize(("word", "other"), [
    ("florist", "floristry"), ("botanist", "botany"), ("herbalist", "herbal"),
])  # fmt: skip
def test_nouns_of_one_word_are_akin(word: str, other: str) -> None:
    assert akin(word, other) and akin(other, word)


def test_a_verb_has_forms_and_is_none_itself() -> None:
    assert inflects("planting", "plant") and inflects("trimmed", "trim") and inflects("opened", "open")
    assert not inflects("plant", "planting") and not akin("check", "checking")


@pytest.mark.parametrize(("word", "other"), [("market", "marker"), ("pot", "potato"), ("garden", "garland"), ("花", "花园")])
def test_other_words_are_not_akin(word: str, other: str) -> None:
    assert not akin(word, other)


def test_a_slip_is_told_from_another_word() -> None:
    assert misspelt("geranum", "geranium") and misspelt("chrysanthemun", "chrysanthemum")
    assert not misspelt("increase", "decrease") and not misspelt("roses", "rose") and not misspelt("annual", "manual")


def test_a_plural_in_ies_is_the_plural_of_ie_and_of_y() -> None:
    assert stem("brownies") == stem("brownie") and stem("berries") == stem("berry")


@pytest.mark.parametrize(
    ("text", "verb"),
    [("please don't cancel my delivery", "cancel"), ("never water the cactus", "water"), ("water the cactus", ""),
     ("don't forget the cactus", ""), ("不要取消配送", "取消配送")],
)  # fmt: skip
def test_the_verb_that_is_forbidden(text: str, verb: str) -> None:
    assert forbidden(View(text)) == verb


def test_an_idiom_is_no_negation() -> None:
    assert "don't" not in without_idioms("Don't let me forget the bulbs".lower())
    assert "don't" in without_idioms("don't plant the bulbs")


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [("12 bulbs... no, 15 bulbs", "12", "15"), ("on Monday, sorry, Tuesday", "Monday", "Tuesday"),
     ("at 5, no wait, at 6", "5", "6"), ("三袋，不对，四袋", "三袋", "四袋")],
)  # fmt: skip
def test_what_is_taken_back(text: str, first: str, second: str) -> None:
    assert corrects(View(text), span(text, first), span(text, second))


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [("from 5 to 6", "5", "6"), ("two roses, no thorns, 3 pots", "two", "3"), ("Monday and Tuesday", "Monday", "Tuesday")],
)
def test_what_is_not_taken_back(text: str, first: str, second: str) -> None:
    assert not corrects(View(text), span(text, first), span(text, second))


def test_after_since_the_last_such_day_is_meant() -> None:
    days = {text: find_times(text, "date", WEEKDAY)[0].value for text in ("since Sunday", "on Sunday", "since the 3rd", "since June 1st")}
    assert days == {"since Sunday": "2027-05-09", "on Sunday": "2027-05-16", "since the 3rd": "2027-05-03", "since June 1st": "2026-06-01"}


def test_exponents_and_seconds_of_units_are_no_numbers() -> None:
    assert [number.value for number in find_numbers("falls at 9 metres/second^2 for 4 seconds")] == [9, 4]
    assert [number.value for number in find_numbers("2^10")] == [2, 10]


@pytest.mark.parametrize(
    ("word", "short"),
    [("metres", "m"), ("metres/second", "m/"), ("m/s^2", "m/2"), ("kilos", "kg"), ("minutes", "min"), ("years", "year"),
     ("%", "percent"), ("roses", ""), ("the", "")],
)  # fmt: skip
def test_units_by_their_short_names(word: str, short: str) -> None:
    assert unit(word) == short


@pytest.mark.parametrize(
    ("name", "description", "text", "number", "same", "other"),
    [
        ("time", "The time in seconds.", "9 m/s for 4 seconds", "4", True, False),
        ("time", "The time in seconds.", "9 m/s for 4 seconds", "9", False, True),
        ("speed", "The speed in m/s.", "9 metres per second for 4 seconds", "9", True, False),
        ("weight_kg", "How heavy it is.", "3 kilos of bulbs", "3", True, False),
        ("count", "How many.", "3 kilos of bulbs", "3", False, False),
        ("min_price", "The least price.", "3 kilos of bulbs", "3", False, False),
    ],
)
def test_the_unit_after_a_number_says_whose_it_is(
    name: str, description: str, text: str, number: str, same: bool, other: bool
) -> None:
    own = slot(name, description, type="number")
    assert unit_beside(View(text), own, span(text, number)) == (same, other)


def test_what_a_description_leaves_out_is_no_kind() -> None:
    assert slot("item", "What to buy, without the amount.").kind == "other"


def test_the_ends_of_ranges_and_turns() -> None:
    assert ends(("from_date", "to_date", "place")) == {"from_date": 0.0, "to_date": 1.0}
    assert ends(("check_in", "check_out", "checkup")) == {"check_in": 0.0, "check_out": 1.0}
    assert ranks(("bed_one", "bed_two", "bed_three")) == {"bed_one": 0.0, "bed_two": 0.5, "bed_three": 1.0}


@pytest.mark.parametrize("words", ["RX7143", "IC 204", "555-0148", "0171 555 2390", "AB-12/7", "north-bed-id"])
def test_codes(words: str) -> None:
    assert is_code(words)
    assert not is_code("the old one") and not is_code("off AB-12")


def test_which_slots_hold_codes() -> None:
    assert slot("tray_number", "The number of the tray.").holds_code and slot("order_code").holds_code
    assert slot("last", "The last four digits of the card.").holds_code
    assert not slot("reference", "Which one is meant, such as my or this.").holds_code
    assert not slot("number_of_pots", "How many pots.").holds_code and not slot("plant", "The name of the plant.").holds_code


@pytest.mark.parametrize(
    ("text", "words", "on"),
    [("Rose Lane, same as before", "Rose Lane, same as before", True), ("ferns, mosses and ivy", "ferns, mosses and ivy", False),
     ("Rose Lane, Dover", "Rose Lane, Dover", False), ("玫瑰，送到家", "玫瑰，送到家", True)],
)  # fmt: skip
def test_speech_that_goes_on_after_a_comma(text: str, words: str, on: bool) -> None:
    assert goes_on(*where(text, words)) is on


def test_the_scale_is_not_the_score() -> None:
    view, first, _ = where("seven out of ten", "ten")
    score, best = slot("score", "How good it was.", type="integer"), slot("best", "The highest score.", type="integer")
    assert is_scale(view, score, first) and not is_scale(view, best, first) and not is_scale(view, score, 0)


def test_quotation_marks_leave_punctuation_at_their_edges_out() -> None:
    view = View("write 'prune the roses.' on it")
    [(first, last)] = view.quoted
    assert view.text[view.units[first].start : view.units[last].end] == "prune the roses"


def test_chinese_names_are_told_by_the_dictionary() -> None:
    shapes = {words: view.shape(first, last) for words in ("成都", "李娜") for view, first, last in [where("请把成都的花送给李娜吧", words)]}
    assert shapes == {"成都": "place", "李娜": "person"}
    view, first, last = where("明天成都开花吗", "成都")
    assert view.is_content[first] and view.is_content[last] and view.edge_faults(first, last) == 0


def test_words_beside_a_value_in_chinese_and_japanese_speak_for_whom_and_where() -> None:
    whom = slot("recipient", "Who gets the flowers.")
    assert cue(*where("给李娜送花", "李娜")[:1], whom, *where("给李娜送花", "李娜")[1:]) == 1.0
    view, first, last = where("母に花を送って", "母")
    assert cue(view, whom, first, last) == 1.0 and cue(view, slot("flower", "Which flower."), first, last) == 0.0


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [("shut the vents", "close", True), ("opening the vents would be nice", "open", True), ("通风口打开", "open", True),
     ("look at the vents", "open", False), ("窓を閉めて", "close", True)],
)  # fmt: skip
def test_one_of_two_opposites_is_said_by_any_word_that_means_it(text: str, value: str, said: bool) -> None:
    own = function(move={"enum": ["open", "close"], "description": "What to do with the vents."})
    told = tuple(map(place, own.slots))
    strength, _ = SlotEvidence(own, View(text), frozenset(), frozenset(), told).mention(told[0], value)
    assert (strength > 0.6) is said


SHOP = [
    {"name": "add_plant", "description": "Put a plant on the order.", "parameters": {
        "properties": {"plant": {"type": "string", "description": "The plant to order."}, "count": {"type": "integer"}},
        "required": ["plant"]}},
    {"name": "drop_plant", "description": "Take a plant off the order.", "parameters": {
        "properties": {"plant": {"type": "string", "description": "The plant that is not wanted."}}, "required": ["plant"]}},
    {"name": "track_order", "description": "Tell where an order is.", "parameters": {
        "properties": {"order_number": {"type": "string", "description": "The number of the order."}}}},
]  # fmt: skip
SAID = [
    {"funcId": "add_plant", "exemplars": [{"type": "implies", "utterance": text} for text in (
        "order <plant> for me", "we need <plant> for the beds", "put <count> <plant> on the order", "don't let me forget <plant>")]},
    {"funcId": "drop_plant", "exemplars": [{"type": "implies", "utterance": text} for text in (
        "take <plant> off the order", "cross out <plant>", "cancel <plant> please")]},
    {"funcId": "track_order", "exemplars": [{"type": "implies", "utterance": text} for text in (
        "where is my order", "track <order_number>", "has <order_number> been sent")]},
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(model_path: Path) -> Converter:
    return Converter(model_path).add_function_specs(SHOP).add_exemplars(SAID).finalize()


@pytest.mark.parametrize(
    ("said", "name", "arguments"),
    [
        ("put sweet peas on the order please", "add_plant", {"plant": "sweet peas"}),
        ("could you order lavender for me", "add_plant", {"plant": "lavender"}),
        ("put 3... no, 5 ferns on the order", "add_plant", {"plant": "ferns", "count": 5}),
        ("any news on order GX5521?", "track_order", {"order_number": "GX5521"}),
        ("please don't put tulips on the order", None, {}),
        ("please don't order tulips for me", None, {}),
    ],
)
def test_what_exemplars_always_fill_is_filled_and_what_is_forbidden_is_not_done(
    shop: Converter, said: str, name: str | None, arguments: dict[str, Any]
) -> None:
    calls = [call for call in shop.convert(said) if call.name != "do_not_understand"]
    assert [(call.name, call.arguments) for call in calls] == ([] if name is None else [(name, arguments)])
