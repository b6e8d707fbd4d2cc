"""What utterances do with a deed that they speak of: only some ask for it."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from constrained_du import Converter
from constrained_du.domain.deeds import withheld
from constrained_du.domain.domain import Domain
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.text.acts import bases, unasked

KILN = [
    {"name": "fire_kiln", "description": "heat the kiln up", "parameters": {
        "type": "object", "properties": {"degrees": {"type": "integer", "description": "how hot"}}}},
    {"name": "cancel_firing", "description": "end the firing of the kiln", "parameters": {"type": "object", "properties": {}}},
    {"name": "book_wheel", "description": "reserve a potter's wheel", "parameters": {
        "type": "object", "properties": {"day": {"type": "string", "format": "date", "description": "for which day"}}}},
    {"name": "log_glaze", "description": "note which glaze was used", "parameters": {
        "type": "object", "properties": {"glaze": {"type": "string", "description": "name of the glaze"}}}},
    {"name": "kiln_state", "description": "how hot the kiln is", "parameters": {"type": "object", "properties": {}}},
]  # fmt: skip
SHOWN = {
    "fire_kiln": ["fire the kiln at <degrees> degrees", "heat the kiln to <degrees>"],
    "cancel_firing": ["cancel the firing", "switch the kiln off"],
    "book_wheel": ["book a wheel for <day>", "reserve a wheel <day>"],
    "log_glaze": ["I used <glaze>", "log the glaze <glaze>"],
    "kiln_state": ["how hot is the kiln", "is the kiln still warm"],
}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fire the kiln at 900, no, forget it", "back"), ("book a wheel for Friday never mind", "back"),
        ("cancel the firing - actually don't", "back"), ("if the glaze is dry, fire the kiln", "condition"),
        ("cancel the firing unless Greta objects", "condition"), ("switch the kiln off once it has cooled", "condition"),
        ("would it crack the bowls to fire the kiln at 1200", "question"), ("how do I book a wheel", "question"),
        ("what happens if I cancel the firing", "question"), ("is there a fee for booking a wheel", "question"),
        ("please don't fire the kiln yet", "forbidden"), ("hold off on firing the kiln", "forbidden"),
        ("no need to book a wheel", "forbidden"), ("I'd rather you left the kiln alone", "forbidden"),
        ("leave the firing as it is", "forbidden"), ("under no circumstances cancel the firing", "forbidden"),
        ("keep my wheel for Friday", "kept"), ("I already booked a wheel", "done"), ("the firing was cancelled last week", "done"),
        ("Greta said fire the kiln", "told"), ("they should really fire it hotter", "told"),
        ("I might book a wheel on Friday", "told"), ("thanks for booking the wheel", "thanked"),
        ("the studio sign says switch the kiln off", "told"),
    ],
)  # fmt: skip
def test_what_keeps_an_utterance_from_asking(text: str, kind: str) -> None:
    found = unasked(text)
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("把窑点上，算了", "back"), ("如果釉干了，就把窑点上", "condition"), ("怎么预订拉坯机", "question"), ("窑已经关了", "told"),
        ("窯をつけて、やっぱりいいや", "back"), ("もし釉薬が乾いたら窯をつけて", "condition"), ("どうやってろくろを予約するの", "question"),
        ("もう予約しました", "told"), ("如果可以的话，把窑关上", None), ("你能帮我把窑关了吗", None), ("もしよければ窯を消して", None),
        ("もう一度つけて", None), ("窯を消してもらえますか", None),
    ],
)  # fmt: skip
def test_the_same_in_scripts_without_spaces(text: str, kind: str | None) -> None:
    found = unasked(text)
    assert (found.kind if found is not None else None) == kind


@pytest.mark.parametrize(
    "text",
    [
        "fire the kiln at 900", "could you cancel the firing", "would you mind booking a wheel for me", "can I have a wheel on Friday",
        "why don't you switch the kiln off", "don't forget to fire the kiln", "don't let me forget the glaze", "I'd like to book a wheel",
        "no, cancel the firing", "if possible, book the wheel by the window", "book a wheel if you've got one", "never mind the wheel, fire the kiln",
        "I booked the wrong wheel, cancel it", "don't book Friday, book Saturday", "don't fire it above 900", "how do I get to the studio",
        "what about Friday", "would it be possible to cancel the firing", "I was wondering if you could book a wheel",
        "the bowls are dry, so fire the kiln", "thanks, now switch the kiln off", "I need the wheel on Friday", "please set the kiln to 900",
        "I wish to book a wheel", "the kiln should be at 900 by noon", "",
    ],
)  # fmt: skip
def test_what_asks_politely_or_after_a_reason(text: str) -> None:
    assert unasked(text) is None


def _withheld(text: str) -> set[str]:
    functions = tuple(read_specs(KILN))
    slots = {function.label: frozenset(function.slot) for function in functions}
    domain = Domain(functions, tuple(read_exemplars(SHOWN, slots)))
    return {function.label for function, away in zip(functions, withheld(domain.deeds, text), strict=True) if away}


DEEDS = {"fire_kiln", "cancel_firing", "book_wheel", "log_glaze"}


@pytest.mark.parametrize(
    ("text", "away"),
    [
        ("don't fire the kiln", DEEDS), ("I don't want the firing on Friday", DEEDS - {"cancel_firing"}),
        ("I don't want the firing any more", set()),
        ("I don't want to cancel the firing", DEEDS), ("what if I fire the kiln at 1300", DEEDS),
        ("I fired the kiln yesterday", DEEDS - {"log_glaze"}), ("I broke a bowl yesterday", set()),
        ("Greta says book a wheel", DEEDS - {"log_glaze"}), ("is the kiln still warm", set()), ("book a wheel for Friday", set()),
    ],
)  # fmt: skip
def test_which_functions_are_not_asked_for(text: str, away: set[str]) -> None:
    assert _withheld(text) == away


def test_what_its_exemplars_show_a_function_may_be_asked_for_with() -> None:
    functions = tuple(read_specs(KILN))
    exemplars = read_exemplars({"cancel_firing": ["the kiln must not go on"]}, {f.label: frozenset(f.slot) for f in functions})
    deeds = Domain(functions, tuple(exemplars)).deeds
    assert [withheld(deeds, "the oven must not go on")[i] for i in (0, 1)] == [True, False]


def test_forms_of_verbs() -> None:
    assert {"cancel"} <= bases("cancelled") and {"move"} <= bases("moving") and {"try"} <= bases("tried") and {"pay"} <= bases("paid")


@pytest.fixture(scope="module")
def studio() -> Converter:
    return Converter().add_function_specs(KILN).add_exemplars(SHOWN).finalize()


@pytest.mark.parametrize(
    "text",
    [
        "don't fire the kiln at 900 degrees", "fire the kiln at 900, actually no, forget it", "if Greta agrees, cancel the firing",
        "what would it cost to book a wheel for Friday", "I already cancelled the firing", "my brother said fire the kiln at 900",
        "please leave the firing as it is", "switch the kiln off - no, leave it",
    ],
)
def test_nothing_is_done_that_was_not_asked_for(studio: Converter, text: str) -> None:
    assert studio.convert(text)[0].name in ("do_not_understand", "kiln_state")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("would you mind firing the kiln at 900 degrees", "fire_kiln"), ("don't forget to cancel the firing", "cancel_firing"),
        ("no, cancel the firing", "cancel_firing"), ("why don't you book a wheel", "book_wheel"),
    ],
)
def test_what_is_asked_for_politely_is_done(studio: Converter, text: str, name: str) -> None:
    assert studio.convert(text)[0].name == name


POTTERY = [
    {"name": "order_clay", "description": "order clay to a studio", "parameters": {"type": "object", "required": ["place"], "properties": {
        "place": {"type": "string", "description": "studio that gets it"},
        "weight_kg": {"type": "integer", "description": "how heavy"},
        "day": {"type": "string", "format": "date", "description": "when it is brought"}}}},
    {"name": "set_heat", "description": "set how hot the kiln is", "parameters": {"type": "object", "properties": {
        "degrees": {"type": "integer", "description": "temperature of the kiln"}}}},
    {"name": "lock_cellar", "description": "lock the cellar", "parameters": {"type": "object", "properties": {}}},
    {"name": "list_glazes", "description": "show the last glazes", "parameters": {"type": "object", "properties": {
        "count": {"type": "integer", "description": "how many of them"}}}},
]  # fmt: skip
POTTERY_SHOWN = {
    "order_clay": ["order <weight_kg> kg of clay to <place>", "send clay to <place> on <day>", "clay for <place> please"],
    "set_heat": ["set the kiln to <degrees> degrees", "make the kiln <degrees>"],
    "lock_cellar": ["lock the cellar", "is the cellar locked? lock it"],
    "list_glazes": ["show the last <count> glazes", "which glazes did we use"],
}


@pytest.fixture(scope="module")
def pottery() -> Converter:
    return Converter().add_function_specs(POTTERY).add_exemplars(POTTERY_SHOWN).finalize()


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("send clay to Ravenhill, no wait, Dunmore", "place", "Dunmore"), ("send clay to Ravenhill, I mean Dunmore", "place", "Dunmore"),
        ("order 5 pounds of clay to Dunmore", "weight_kg", None), ("raise the kiln by 50 degrees", "degrees", None),
        ("set the kiln to 40 percent", "degrees", None), ("set the kiln to 900 degrees", "degrees", 900),
        ("show the glazes of the last 3 months", "count", None), ("show the last 3 glazes", "count", 3),
    ],
)  # fmt: skip
def test_a_value_of_another_measure_or_taken_back_is_no_value(pottery: Converter, text: str, slot: str, value: object) -> None:
    assert pottery.convert(text)[0].arguments.get(slot) == value


def test_nothing_is_ordered_for_a_day_that_has_passed(pottery: Converter) -> None:
    now = datetime(2026, 5, 13, 9)
    assert not pottery.convert("send clay to Dunmore last Monday", now=now).understood
    assert pottery.convert("send clay to Dunmore next Monday", now=now)[0].arguments == {"place": "Dunmore", "day": "2026-05-18"}


def test_what_undoes_a_deed_is_not_the_deed(pottery: Converter) -> None:
    assert pottery.convert("lock the cellar")[0].name == "lock_cellar"
    assert pottery.convert("unlock the cellar")[0].name != "lock_cellar"


def test_an_exception_is_no_name(pottery: Converter) -> None:
    assert pottery.convert("send clay to any studio except Dunmore")[0].arguments.get("place") not in ("Dunmore", "any studio except Dunmore")


def test_the_probes_of_the_benchmark_are_judged() -> None:
    script = Path(__file__).resolve().parent.parent / "benchmarks" / "unasked.py"
    run = subprocess.run([sys.executable, str(script), "--kinds", "withdrawn", "--most", "6"], capture_output=True, text=True, check=True)
    row = next(line for line in run.stdout.splitlines() if line.startswith("| withdrawn"))
    probes, right, harmless, refused, wrong = (int(cell) for cell in row.split("|")[2:7])
    assert probes == 6 == right + harmless + refused + wrong and right >= 5 and wrong == 0
