"""Groups, counts, names and moments as evidence for slots, and what exemplars show beside a slot; own domain: a pottery school."""

from __future__ import annotations

from typing import Any

import pytest

from constrained_du.grammar.grammar import Choice
from constrained_du.recognizers.groups import find_groups
from constrained_du.slots import slot_features
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.places import Place, place, places
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import Function, read_specs
from constrained_du.text.clauses import asks_for_more, goes_on
from constrained_du.types import Span


def function(**slots: dict[str, Any]) -> Function:
    return read_specs([{"label": "enrol", "name": ["enrol"], "parameters": {"properties": slots}}])[0]


def slot(name: str, description: str = "", **schema: Any) -> Place:
    return place(function(**{name: {"type": "string", "description": description, **schema}}).slot[name])


def where(view: View, words: str) -> tuple[int, int]:
    start = view.text.index(words)
    return view.within(Span(start, start + len(words)))


def features(text: str, name: str, words: str, **slots: dict[str, Any]) -> dict[str, float]:
    """The evidence for ``words`` in a slot of a function with ``slots``."""
    own = function(**slots)
    view, told = View(text), tuple(map(place, own.slots))
    evidence = SlotEvidence(own, view, frozenset(), frozenset(), told)
    start = text.index(words)
    choice = Choice(words, Span(start, start + len(words)), "verbatim")
    return evidence.features(next(p for p in told if p.name == name), choice)


PEOPLE = {"type": "string", "description": "How many people take part, or who."}
DAY, HOUR = {"type": "string", "description": "The date."}, {"type": "string", "description": "The time."}


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("a wheel for my sister and me please", ["my sister and me"]),
        ("room for me, two cousins and a neighbour", ["me, two cousins and a neighbour"]),
        ("3 adults and 1 toddler will throw", ["3 adults and 1 toddler"]),
        ("my aunt and uncle and our kids come", ["my aunt and uncle and our kids"]),
        ("glaze the cup and the bowl", []),
        ("show me and the teacher's kiln", []),
        ("my sister wants a mug", []),
    ],
)
def test_people_who_are_counted_up_are_a_group(text: str, groups: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_groups(text)] == groups


def test_a_group_fills_the_slot_for_people_whole() -> None:
    text = "a wheel for my sister and me at nine"
    whole = features(text, "people", "my sister and me", people=PEOPLE)
    assert whole["group"] == 1.0 and not whole.get("cut group") and not whole.get("uncounted")
    part = features(text, "people", "my sister", people=PEOPLE)
    assert part["cut group"] == 1.0 and not part.get("group") and part["uncounted"] == 1.0
    counted = {"type": "string", "description": "How many people, as a number."}
    assert not features(text, "people_number", "my sister and me", people_number=counted).get("group")


@pytest.mark.parametrize(("text", "words", "uncounted"), [
    ("for four beginners", "four", False), ("for one of us", "one", False), ("for some beginners", "some beginners", True),
])  # fmt: skip
def test_what_says_how_many_has_a_number(text: str, words: str, uncounted: bool) -> None:
    assert bool(features(text, "people", words, people=PEOPLE).get("uncounted")) is uncounted


@pytest.mark.parametrize(("name", "words", "clashes"), [
    ("date", "9 am", True), ("time", "Friday", True), ("date", "Friday", False), ("time", "9 am", False), ("date", "4", True),
])  # fmt: skip
def test_a_day_is_no_time_where_the_other_has_a_slot(name: str, words: str, clashes: bool) -> None:
    found = features("put 4 of us down on Friday at 9 am", name, words, date=DAY, time=HOUR, people=PEOPLE)
    assert bool(found.get("moment clash")) is clashes


def test_a_day_alone_may_be_a_time_where_no_slot_waits_for_it() -> None:
    assert not features("put us down on Friday", "time", "Friday", time=HOUR).get("moment clash")


def test_a_part_of_a_moment_is_cut_from_it() -> None:
    text = "fire it in 5 days"
    assert features(text, "time", "5 days", time=HOUR)["cut moment"] == 1.0
    assert not features(text, "time", "in 5 days", time=HOUR).get("cut moment")


@pytest.mark.parametrize(
    ("words", "is_one"),
    [("top 12", True), ("oldest", True), ("most fragile", True), ("top", False), ("12", False), ("fragile", False), ("forest", False), ("fastest growing", False)],
)
def test_superlatives_and_other_numbers_are_like_the_examples_that_are(words: str, is_one: bool) -> None:
    told = slot("order", "Which pots to prefer, such as newest, best or top 50.")
    view = View(f"show the {words} pots")
    assert slot_features.is_example(view, told, *where(view, words)) is is_one
    plain = slot("order", "Which pots to prefer, such as glazed or unglazed.")
    assert not slot_features.is_example(view, plain, *where(view, words))


def test_numbers_in_a_description_say_nothing_of_the_slot() -> None:
    told = slot("best", "The most points there can be, such as 6 in four out of 6.")
    assert {"most", "point"} <= told.described and not {"four", "6"} & told.described


def test_an_exemplar_s_other_slot_stands_for_its_examples() -> None:
    kind = {"type": "string", "description": "The kind of ware, such as mug or tea bowl."}
    own = function(kind=kind, title={"type": "string", "description": "What the piece is called."})
    shown = read_exemplars({"enrol": ["show the <kind> <title>"]}, {"enrol": frozenset(("kind", "title"))})
    told = places(own, shown)
    agreed = {}
    for said in ("tea bowl", "big kiln"):
        view = View(f"show the {said} silent moon")
        evidence = SlotEvidence(own, view, frozenset(), frozenset(), tuple(told.values()))
        start = view.text.index("silent")
        agreed[said] = evidence.features(told["title"], Choice("silent moon", Span(start, start + 11), "verbatim"))["context"]
    assert agreed["tea bowl"] == agreed["big kiln"] + 0.7 + 0.5 + 0.25, "the example, then the words before it"


@pytest.mark.parametrize(
    ("text", "words", "kind", "length"),
    [
        ("throw a bowl by Greta Holm", "Greta Holm", "potter", 1.0),
        ("find Moon Over Cold Hills", "Moon Over Cold Hills", "potter", -1.0),
        ("find Moon Over Cold Hills", "Moon Over Cold Hills", "title", 1.0),
        ("find Cold Hills", "Cold Hills", "title", -0.5),
        ("find The Hills", "The Hills", "title", 0.0),
        ("find Cold Hills", "Cold Hills", "colour", 0.0),
    ],
)
def test_people_have_two_names_and_titles_more(text: str, words: str, kind: str, length: float) -> None:
    told = {"potter": slot("artist"), "title": slot("title"), "colour": slot("colour")}[kind]
    view = View(text)
    assert slot_features.name_length(view, told, *where(view, words)) == length


@pytest.mark.parametrize(
    ("text", "words", "shape"),
    [
        ("Greta Holm will throw", "Greta", "name"), ("Greta Holm will throw", "Greta Holm", "name"),
        ("Show Holm the kiln", "Show", "words"), ("Greta will throw", "Greta", "words"),
        ("GLAZE THE POT NOW", "POT", "words"), ("glaze POT now", "POT", "name"),
    ],
)  # fmt: skip
def test_a_name_may_open_what_is_said_and_capitals_throughout_say_nothing(text: str, words: str, shape: str) -> None:
    view = View(text)
    assert view.shape(*where(view, words)) == shape


def test_a_number_said_twice_stands_beside_each_slot_s_name() -> None:
    own = function(wheels={"enum": ["1", "2"]}, kilns={"enum": ["1", "2"]}, shelves={"enum": ["1", "2"]})
    told = tuple(map(place, own.slots))
    evidence = SlotEvidence(own, View("1 wheel, 1 kiln and 2 tall shelves"), frozenset(), frozenset(), told)
    assert [evidence.mention(p, "1")[1] for p in told[:2]] == [Span(0, 1), Span(9, 10)]
    assert evidence.features(told[2], Choice("2", None, "enum"))["mention named"] == 1.0


@pytest.mark.parametrize(
    ("name", "text", "words", "first", "last"),
    [
        ("party", "cancel for the Holm party", "Holm", -1.0, 1.0),
        ("called", "you can call me Greta", "Greta", 1.0, -1.0),
        ("under", "it is under the name Holm", "Holm", -1.0, 1.0),
    ],
)
def test_a_party_has_a_family_name(name: str, text: str, words: str, first: float, last: float) -> None:
    view = View(text)
    assert [slot_features.name_part(view, slot(n), *where(view, words)) for n in ("first_name", "last_name")] == [first, last], name


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("what else is there?", True), ("any other options", True), ("something else please", True), ("还有什么", True), ("ほかに", True),
        ("no, nothing else", False), ("I don't need anything else", False), ("不要别的", False), ("有没有别的？", True), ("没有别的了", False), ("关掉其他窑炉", False), ("fire the other kiln", False),
    ],
)  # fmt: skip
def test_who_asks_what_else_there_is_asks_for_more(text: str, more: bool) -> None:
    assert asks_for_more(text) is more


@pytest.mark.parametrize(
    ("clause", "on"),
    [
        ("I need it for four people", True), ("it should be blue", True), ("make sure it dries", True), ("there's room", True),
        ("fire the kiln", False), ("I need a kiln", False), ("itemise the bill", False),
    ],
)  # fmt: skip
def test_a_clause_may_go_on_with_what_was_asked_for(clause: str, on: bool) -> None:
    assert goes_on(clause) is on


def test_slots_that_take_turns_take_one_thing_each_and_no_value_begins_with_and() -> None:
    city = {"type": "string"}
    joined = features("the road between Lund and Ystad", "city1", "Lund and Ystad", city1=city, city2=city)
    assert joined["joined twins"] == 1.0 and not joined.get("joint edge")
    assert features("the road between Lund and Ystad", "city2", "and Ystad", city1=city, city2=city)["joint edge"] == 1.0
    second = features("the road between Lund and Ystad", "city2", "Ystad", city1=city, city2=city)["in turn"]
    assert second > 0 > features("the road between Lund and Ystad", "city1", "Ystad", city1=city, city2=city)["in turn"]
    assert not features("find And So It Goes", "city1", "And So It Goes", city1=city, city2=city).get("joint edge")


def test_groups_of_thousands_are_found_in_one_pass() -> None:
    """A pattern of nested repetitions took half a minute for these."""
    text = "me, " * 5000 + "my aunt and me"
    assert [text[span.start : span.end][-14:] for span in find_groups(text)] == ["my aunt and me"]


NEAR = {"type": "string", "description": "Where it should be to the school."}


@pytest.mark.parametrize(
    ("text", "words", "relation"),
    [
        ("a kiln close by", "close by", True), ("in the same area as the school", "in the same area", True), ("the nearest kiln", "nearest", True),
        ("a kiln within 2 miles", "within 2 miles", True), ("a kiln close by", "close", False), ("a large kiln", "large", False),
    ],
)  # fmt: skip
def test_how_one_place_lies_to_another_is_said_in_few_words(text: str, words: str, relation: bool) -> None:
    found = features(text, "spatial_relation", words, spatial_relation=NEAR)
    assert bool(found.get("relation")) is relation is not bool(found.get("no relation"))
    assert not features(text, "colour", words, colour={"type": "string"}).get("relation")


def test_a_year_after_from_is_a_date() -> None:
    year = {"type": "string", "description": "The year."}
    assert features("a bowl by Greta Holm from 1987", "year", "1987", year=year)["kind same"] == 1.0


@pytest.mark.parametrize(("text", "free"), [
    ("a course without a fee", True), ("a course with no fee", True), ("a free course", True), ("it need not be free", False),
])  # fmt: skip
def test_what_is_without_a_fee_is_free(text: str, free: bool) -> None:
    told = {"type": "boolean", "description": "Whether there is no fee."}
    own = function(fee_free=told)
    evidence = SlotEvidence(own, View(text), frozenset(), frozenset(), tuple(map(place, own.slots)))
    said = evidence.features(place(own.slots[0]), Choice(free))["boolean"]
    assert said > 0 > evidence.features(place(own.slots[0]), Choice(not free))["boolean"]


def test_where_no_space_parts_them_a_moment_is_not_swallowed() -> None:
    told = {"ware": {"type": "string", "description": "器物"}, "day": {"type": "string", "description": "日期"}}
    assert features("明天青花碗要上釉", "ware", "明天青花碗", **told)["swallows moment"] == 1.0
    assert not features("明天青花碗要上釉", "ware", "青花碗", **told).get("swallows moment")
