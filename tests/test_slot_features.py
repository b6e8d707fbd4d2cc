"""What the words around a span say for a slot, and what descriptions and exemplars say of slots; own domain: a workshop."""

from __future__ import annotations

from typing import Any

import pytest

from constrained_du.domain.domain import Domain
from constrained_du.grammar.candidates import read_entities
from constrained_du.grammar.compile import Binder
from constrained_du.slots import slot_features
from constrained_du.slots.evidence import SlotEvidence
from constrained_du.slots.fillings import Filler, Filling
from constrained_du.slots.mentions import IMPLIED, TELLING
from constrained_du.slots.places import Place, place, shapes, spares
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import Function, SpecWarning, read_specs
from constrained_du.types import Span

pytestmark = pytest.mark.filterwarnings(f"ignore::{SpecWarning.__module__}.SpecWarning")


def function(label: str = "pause_kiln", **slots: dict[str, Any]) -> Function:
    return read_specs([{"label": label, "name": [label.replace("_", " ")], "parameters": {"properties": slots}}])[0]


def slot(name: str, description: str = "", **schema: Any) -> Place:
    return place(function(**{name: {"type": "string", "description": description, **schema}}).slot[name])


def where(view: View, words: str) -> tuple[int, int]:
    start = view.text.index(words)
    return view.within(Span(start, start + len(words)))


@pytest.mark.parametrize(
    ("text", "words", "names"),
    [
        ("pause the glaze kiln", "glaze", True),
        ("pause the kiln", "the", True),  # what is no name is for other features to say
        ("pause the glaze oven", "glaze", False),
        ("pause glaze", "glaze", False),
    ],
)
def test_a_name_stands_before_what_it_names(text: str, words: str, names: bool) -> None:
    view, told = View(text), slot("name", "The name given to the kiln.")
    assert bool(slot_features.names_noun(view, told, *where(view, words), {"pause", "kiln"})) is names
    assert not slot_features.names_noun(view, slot("colour", "The colour of the kiln."), *where(view, words), {"kiln"})


def test_a_name_stands_before_what_it_names_in_scripts_without_spaces() -> None:
    view = View("继续青花窑炉")
    assert slot_features.names_noun(view, slot("name", "窑炉的名称"), *where(view, "青花"), ())
    assert not slot_features.names_noun(view, slot("name", "砂轮的名称"), *where(view, "青花"), ())


@pytest.mark.parametrize(
    ("word", "root", "is_made"),
    [
        ("bolted", "bolt", True), ("unbolted", "bolt", True), ("closed", "close", True), ("jammed", "jam", True),
        ("bolt", "bolt", False), ("bolts", "bolt", False), ("molten", "bolt", False), ("锁着", "锁", True), ("锁", "锁", False), ("bolted", "", False),
    ],
)  # fmt: skip
def test_a_state_is_made_of_the_kind_it_belongs_to(word: str, root: str, is_made: bool) -> None:
    assert slot_features.is_made_of(word, root) is is_made


def test_the_state_that_was_said_implies_its_kind_and_takes_the_words() -> None:
    checked = function("check", part={"enum": ["bolt", "lid"]}, state={"enum": ["bolted", "unbolted", "shut"]})
    places = tuple(map(place, checked.slots))
    evidence = SlotEvidence(checked, View("which hatches are unbolted"), frozenset(), frozenset(), places)
    part, state = places
    assert evidence.mention(part, "bolt") == (IMPLIED, None)
    assert evidence.mention(state, "unbolted") == (1.0, Span(18, 26))
    assert evidence.mention(part, "lid") == (0.0, None)
    plain = SlotEvidence(checked, View("the bolt is unbolted"), frozenset(), frozenset(), places)
    assert plain.mention(part, "bolt") == (1.0, Span(4, 8)), "said by itself as well"


@pytest.mark.parametrize(
    ("text", "words", "is_clause"),
    [
        ("remind me to oil the lathe", "oil the lathe", True),
        ("remind me to oil the lathe at noon", "oil the lathe", True),
        ("add glue to my to-do list", "my to-do list", False),
        ("add glue to the list", "the list", False),
    ],
)
def test_a_clause_after_to_is_no_noun(text: str, words: str, is_clause: bool) -> None:
    view = View(text)
    assert slot_features.is_reported(view, slot("task", "The task to do."), *where(view, words)) is is_clause


@pytest.mark.parametrize(("span", "cuts"), [(Span(4, 8), True), (Span(4, 10), False), (Span(5, 10), True), (Span(0, 10), False)])
def test_a_candidate_that_cuts_a_word_is_told_apart(span: Span, cuts: bool) -> None:
    assert slot_features.cuts_word(View("oak planks"), span) is cuts


def test_a_candidate_that_cuts_a_word_loses_to_one_that_does_not() -> None:
    text = "cut it on the 3rd of August"
    cut = function("cut", day={"type": "day", "description": "The date."})
    domain = Domain((cut,))
    candidates = read_entities({"day": [[10, 24], [14, 27]]}, text, domain.entity_keys)
    grammar = Binder(text, candidates, domain.ontology, None).bind(cut)
    places = tuple(domain.places["cut"].values())
    evidence = SlotEvidence(cut, View(text), frozenset(), frozenset(), places, supplied=candidates.spans)
    node: Any = grammar.slots.fields[0].node
    best = max(node.choices, key=lambda choice: evidence.score(places[0], choice))
    assert best.value == "3rd of August"


# -- what specs and exemplars say of slots ---------------------------------------------------


@pytest.mark.parametrize(
    ("description", "spare"),
    [
        ("The kind of machine meant when none is named.", True),
        ("The bench, if no name is given.", True),
        ("没有指定名称时所指的机器种类。", True),
        ("名前の指定がない場合の機械の種類", True),
        ("The unit, metric if none is given: the default.", False),
        ("The kind of machine.", False),
        ("The maker when no colour is given.", False),
    ],
)
def test_a_slot_may_stand_in_for_the_one_that_names_the_thing(description: str, spare: bool) -> None:
    start = function("start", name={"type": "string"}, kind={"type": "string", "description": description}, area={"type": "string"})
    assert spares(map(place, start.slots)) == ({"kind": "name"} if spare else {})


def test_the_shape_of_an_exemplar_has_its_numbers_and_listed_values() -> None:
    paint = function("paint", part={"type": "string"}, colour={"enum": ["red", "sky blue"]}, coats={"type": "integer"})
    shown = read_exemplars(
        {"paint": ["paint the <part> sky blue", "two coats for the <part>", "paint it", "<colour> please"]},
        {"paint": frozenset(("part", "colour", "coats"))},
    )
    found = [set().union(*shape) if shape else set() for shape in shapes(map(place, paint.slots), shown)]
    assert found == [{"colour"}, {"coats"}, set(), {"colour"}]


@pytest.mark.parametrize(
    ("description", "examples"),
    [
        ("The glaze, such as celadon, salt or an ash glaze.", {"celadon", "salt", "ash glaze"}),
        ("What is fired, for example: bowls, mugs and tiles", {"bowl", "mug", "tile"}),
        ("The glaze (e.g. celadon / salt)", {"celadon", "salt"}),
        ("釉的种类，例如青瓷、暖和的灰釉或钧窑。", {"青 瓷", "暖 和 的 灰 釉", "钧 窑"}),
        ("The glaze.", set()),
    ],
)
def test_a_description_gives_examples_of_values(description: str, examples: set[str]) -> None:
    assert {" ".join(words) for words in slot("glaze", description).examples} == examples


@pytest.mark.parametrize(
    ("words", "is_one"),
    [("celadons", True), ("warmer", True), ("hottest", True), ("dustier", True), ("cold", False), ("warm up", False)],
)
def test_a_value_given_as_an_example_is_known_in_its_plural_and_its_degrees(words: str, is_one: bool) -> None:
    told = slot("glaze", "The glaze, such as celadon, warm, hot or dusty.")
    view = View(f"make it {words}")
    assert slot_features.is_example(view, told, *where(view, words)) is is_one


def test_slots_of_one_name_share_their_examples() -> None:
    shelves = [function("stack", ware={"type": "string", "description": "What to stack, such as bowls."}),
               function("sell", ware={"type": "string", "description": "What to sell, such as mugs."})]  # fmt: skip
    places = Domain(tuple(shelves)).places
    assert places["stack"]["ware"].kin == {("mug",)}
    assert places["sell"]["ware"].kin == {("bowl",)}


def test_the_kind_of_a_thing_is_nobody_s_name() -> None:
    kind, named = slot("ware_type", "The kind of ware."), slot("potter", "Who made it.")
    view = View("show what Greta Holm made of clay")
    assert slot_features.is_kind_named(view, kind, *where(view, "Greta Holm"))
    assert not slot_features.is_kind_named(view, kind, *where(view, "clay"))
    assert not slot_features.is_kind_named(view, named, *where(view, "Greta Holm"))
    assert not slot_features.is_kind_named(view, slot("item", "What was made."), *where(view, "Greta Holm"))
    shouted = View("SHOW WHAT GRETA MADE")
    assert not slot_features.is_kind_named(shouted, kind, *where(shouted, "GRETA"))


@pytest.mark.parametrize(
    ("text", "words", "country", "state", "town"),
    [
        ("ship it to Norway", "Norway", "region same", "region other", "region other"),
        ("ship it to Ohio", "Ohio", "region other", "region same", "region other"),
        ("ship it to SC", "SC", "region other", "region same", "region other"),
        ("ship it to Ravnik", "Ravnik", "region unknown", None, None),
        ("发到挪威", "挪威", "region same", "region other", "region other"),
    ],
)
def test_countries_and_states_are_known_by_their_names(
    text: str, words: str, country: str, state: str | None, town: str | None
) -> None:
    places = [slot("country"), slot("state"), slot("town")]
    view = View(text)
    for own, wanted in zip(places, (country, state, town), strict=True):
        found = slot_features.regional(view, own, *where(view, words), places)
        assert {name for name, value in found.items() if value} == ({wanted} if wanted else set())


def test_a_city_that_is_a_state_too_is_no_better_than_other_cities() -> None:
    view, places = View("ship it to New York City"), [slot("state"), slot("city")]
    for words in ("New York", "New York City"):
        assert not any(slot_features.regional(view, places[1], *where(view, words), places).values())


def test_where_no_slot_waits_for_a_country_names_of_countries_say_nothing() -> None:
    view = View("ship it to Norway")
    assert slot_features.regional(view, slot("address"), *where(view, "Norway"), [slot("address")]) == {}


@pytest.mark.parametrize(
    ("name", "kind"), [("timeRange", "datetime"), ("date_time", "datetime"), ("time", "time"), ("date", "date"), ("time_window", "datetime")]
)
def test_a_stretch_of_time_takes_dates_and_times(name: str, kind: str) -> None:
    assert slot(name).kind == kind


def test_a_listed_value_is_said_by_the_words_that_only_it_has() -> None:
    check = function("check", shelf={"enum": ["upper shelf", "lower shelf", "cellar"]})
    places = tuple(map(place, check.slots))
    evidence = SlotEvidence(check, View("look on the upper one"), frozenset(), frozenset(), places)
    assert evidence.mention(places[0], "upper shelf") == (TELLING, Span(12, 17))
    assert evidence.mention(places[0], "lower shelf") == (0.0, None)
    assert evidence.mention(places[0], "cellar") == (0.0, None)


@pytest.mark.parametrize(("text", "words", "named"), [("four bedrooms", "four", True), ("four beds", "four", True), ("four bedsteads", "four", False)])
def test_a_slot_for_beds_counts_bedrooms(text: str, words: str, named: bool) -> None:
    view = View(text)
    assert bool(slot_features.named(view, slot("beds"), *where(view, words))) is named


def test_the_article_is_no_part_of_the_fifth_of_may() -> None:
    view = View("sand it on the 5th of May, not on the 5th")
    days = {view.text[span.start : span.end] for span, kind in view.kinds.items() if kind == "date"}
    assert {"5th of May", "the 5th of May", "the 5th"} <= days


@pytest.mark.parametrize(
    ("text", "words", "first", "last"),
    [
        ("my surname is Holm", "Holm", -1.0, 1.0),
        ("Holm is my family name", "Holm", -1.0, 1.0),
        ("my name is Greta", "Greta", 1.0, -1.0),
        ("it is for Greta Holm", "Greta", 1.0, 0.0),
        ("it is for Greta Holm", "Holm", 0.0, 1.0),
        ("it is for Holm", "Holm", 0.0, 0.0),
    ],
)
def test_names_go_to_what_they_are_called(text: str, words: str, first: float, last: float) -> None:
    view = View(text)
    found = [slot_features.name_part(view, slot(name), *where(view, words)) for name in ("first_name", "last_name")]
    assert found == [first, last]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("胶水和砂纸", ["胶水", "砂纸"]),
        ("和平", ["和平"]),
        ("glue, sandpaper and tape", ["glue", "sandpaper", "tape"]),
        ("のりとテープ", ["のり", "テープ"]),
        ("はやし", ["はやし"]),
    ],
)
def test_a_letter_inside_a_word_joins_nothing(text: str, parts: list[str]) -> None:
    """和 is "and" between words, and a part of others."""
    bring = function("bring", things={"type": "array", "items": {"type": "string"}})
    evidence = SlotEvidence(bring, View(text), frozenset(), frozenset(), tuple(map(place, bring.slots)))
    whole = Filling(text, 1.0, (("things", Span(0, len(text))),))
    assert [part.value for part in Filler(evidence, {}, 24)._parts(whole)] == parts
