"""A conversation keeps what was said, asks for the rest, and forgets when it should."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from constrained_du import Converter, InputError, Session, Turn
from constrained_du.answers.ellipsis import states_intent
from constrained_du.cli import main
from constrained_du.domain.conversation import DEFAULT, ON_REQUEST, conversation_specs
from constrained_du.domain.domain import Domain
from constrained_du.specs.spec import read_specs
from constrained_du.types import DO_NOT_UNDERSTAND, Call, JsonValue, Result, Span

NOW = datetime(2023, 7, 11, 9)

SPECS: list[dict[str, Any]] = [
    {
        "label": "book_table",
        "name": ["book a table"],
        "description": "Reserve a table in a restaurant.",
        "parameters": {
            "type": "object",
            "properties": {
                "restaurant": {"type": "string", "description": "the restaurant"},
                "party_size": {"type": "integer", "description": "the number of guests"},
                "date": {"type": "string", "format": "date", "description": "the day"},
            },
            "required": ["party_size", "date"],
        },
    },
    {
        "label": "get_weather",
        "name": ["tell the weather"],
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
]
DOMAIN = Domain(tuple(read_specs([*SPECS, *conversation_specs("en", (*DEFAULT, *ON_REQUEST))])))


class Scripted:
    """A converter that understands exactly the calls of a script, and notes what it was given."""

    domain = DOMAIN

    def __init__(self, *calls: Call) -> None:
        self.calls = list(calls)
        self.given: list[dict[str, Any]] = []

    def convert(
        self, utterance: str, entities: Any, expectations: Any, history: Any, now: Any, functions: Any = None
    ) -> Result:
        self.given.append({"expectations": expectations, "history": list(history), "functions": functions})
        return Result((self.calls.pop(0),), 0.9)

    def accepts(self, call: Mapping[str, JsonValue], *_: Any) -> bool:
        ((slot, value),) = call["arguments"].items()
        return isinstance(value, int) == (slot == "party_size")


def call(label: str, **arguments: JsonValue) -> Call:
    return Call(label, arguments)


def nothing() -> Call:
    return Call(DO_NOT_UNDERSTAND)


def conversation(*calls: Call) -> tuple[Session, list[Turn], Scripted]:
    """A session in which these calls were understood, from utterances of one word each."""
    scripted = Scripted(*calls)
    session = Session(scripted)  # type: ignore[arg-type]
    turns = []
    for number in range(len(calls)):
        if scripted.calls:
            turns.append(session.say(f"u{number}", now=NOW))
    return session, turns, scripted


BOOK = "book_table"
FULL = {"restaurant": "Roma", "party_size": 4, "date": "2023-07-12"}


class Case(NamedTuple):
    sentence: str
    calls: tuple[Call, ...]
    slots: Mapping[str, JsonValue]
    missing: tuple[str, ...]


CASES = [
    Case("what is missing is asked in spec order", (call(BOOK, restaurant="Roma"),), {"restaurant": "Roma"},
         ("party_size", "date")),
    Case("an answer is added", (call(BOOK, party_size=4), call(BOOK, date="2023-07-12")),
         {"party_size": 4, "date": "2023-07-12"}, ()),
    Case("a value said again replaces the old one", (call(BOOK, party_size=4), call(BOOK, party_size=5)),
         {"party_size": 5}, ("date",)),
    Case("another function starts anew", (call(BOOK, **FULL), call("get_weather")), {}, ("city",)),
    Case("and coming back leaks nothing", (call(BOOK, **FULL), call("get_weather", city="Roma"), call(BOOK)), {},
         ("party_size", "date")),
    Case("what is not understood changes nothing", (call(BOOK, party_size=4), nothing(), nothing()), {"party_size": 4},
         ("date",)),
    Case("to abort forgets all", (call(BOOK, **FULL), call("abort_intent")), {}, ()),
    Case("to say goodbye forgets all", (call(BOOK, **FULL), call("close_session")), {}, ()),
    Case("repeat and help leave all as it is", (call(BOOK, party_size=4), call("repeat"), call("help")),
         {"party_size": 4}, ("date",)),
    Case("no preference waives what was asked", (call(BOOK, date="2023-07-12"), call("dont_care")),
         {"date": "2023-07-12"}, ()),
    Case("a waived slot may be given after all", (call(BOOK), call("dont_care"), call(BOOK, party_size=2)),
         {"party_size": 2}, ("date",)),
    Case("a pick fills what was asked", (call(BOOK, date="2023-07-12"), call("pick", item=4)),
         {"party_size": 4, "date": "2023-07-12"}, ()),
    Case("a change sets the slot that is named",
         (call(BOOK, **FULL), call("change_slot_value", slot="party_size", new_value=5)), {**FULL, "party_size": 5}, ()),
    Case("a change without a value asks for it", (call(BOOK, **FULL), call("change_slot_value", slot="restaurant")),
         {"party_size": 4, "date": "2023-07-12"}, ("restaurant",)),
    Case("a change without a label goes where the value fits",
         (call(BOOK, **FULL), call("change_slot_value", new_value=5)), {**FULL, "party_size": 5}, ()),
    Case("or where the old value was",
         (call(BOOK, **FULL), call("change_slot_value", old_value="2023-07-12", new_value="2023-07-14")),
         {**FULL, "date": "2023-07-14"}, ()),
    Case("a change of a slot of another function changes nothing",
         (call(BOOK, **FULL), call("change_slot_value", slot="city", new_value="Roma")), FULL, ()),
    Case("a change with nothing to change is passed on", (call("change_slot_value", slot="city", new_value="Roma"),), {}, ()),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sentence)
def test_the_state_after_some_turns(case: Case) -> None:
    session, turns, _ = conversation(*case.calls)
    assert (session.slots, session.missing) == (case.slots, case.missing)
    restored = Session.from_json(session._converter, session.to_json())
    assert (restored.to_json(), restored.missing, restored.question) == (
        session.to_json(), session.missing, session.question
    )  # fmt: skip
    assert turns[-1].missing == case.missing and (turns[-1].question is None) == (not case.missing)


def test_slots_come_in_spec_order_and_a_complete_call_says_so() -> None:
    _, turns, _ = conversation(call(BOOK, date="2023-07-12"), call(BOOK, party_size=4))
    first, second = turns
    assert not first.complete and first.question == "book a table: party size? (the number of guests)"
    assert second.complete and second.call.to_json() == (
        '{"name":"book_table","arguments":{"party_size":4,"date":"2023-07-12"}}'
    )
    assert second.result[0].arguments == {"party_size": 4}  # what was understood stays visible


def test_what_is_missing_is_expected_next_and_history_is_bounded() -> None:
    _, _, scripted = conversation(call(BOOK), *(call(BOOK, party_size=n) for n in range(5)))
    assert scripted.given[0] == {"expectations": None, "history": [], "functions": None}
    assert scripted.given[1]["expectations"] == [("party_size", BOOK), ("date", BOOK)]
    assert [given["history"] for given in scripted.given[-2:]] == [["u0", "u1", "u2", "u3"], ["u1", "u2", "u3", "u4"]]


def test_what_is_not_understood_is_tried_once_more_as_a_continuation() -> None:
    session, turns, scripted = conversation(call(BOOK, **FULL), nothing(), call(BOOK, party_size=6))
    assert scripted.given[2]["functions"] == [BOOK]
    assert scripted.given[2]["expectations"] == [(slot, BOOK) for slot in ("restaurant", "party_size", "date")]
    assert session.slots == {**FULL, "party_size": 6} and turns[-1].complete


def test_a_continuation_without_any_value_is_not_understood() -> None:
    session, turns, _ = conversation(call(BOOK, **FULL), nothing(), call(BOOK))
    assert not turns[-1].result.understood and not turns[-1].complete and session.slots == FULL


@pytest.mark.parametrize("label", ["abort_intent", "hand_off", "repeat", "affirm", "deny", "dont_care"])
def test_a_conversation_function_can_be_carried_out_at_once(label: str) -> None:
    _, turns, _ = conversation(call(label))
    assert turns[0].complete and turns[0].call.name == label and turns[0].question is None


def test_operators_are_kept_until_a_value_replaces_them() -> None:
    under = Call(BOOK, {"date": "2023-07-12"}, operators={"party_size": [("<", 5)]})
    session, turns, _ = conversation(under)
    assert turns[0].complete and turns[0].call.operators == {"party_size": [("<", 5)]}
    assert Session.from_json(session._converter, session.to_json()).missing == ()
    session, turns, _ = conversation(under, call(BOOK, party_size=3))
    assert turns[-1].call.operators == {} and session.slots == {"party_size": 3, "date": "2023-07-12"}


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", "{}", '{"version":2,"history":[],"frame":null}', '{"version":1,"history":[3],"frame":null}',
        '{"version":1,"history":[],"frame":{"function":"sing","arguments":{},"operators":{},"waived":[],"reopened":[]}}',
        '{"version":1,"history":[],"frame":{"function":"book_table","arguments":{"x":1},"operators":{},"waived":[],"reopened":[]}}',
        '{"version":1,"history":[],"frame":{"function":"book_table"}}', '{"version":1,"history":[],"frame":3}',
    ],
)  # fmt: skip
def test_what_is_no_session_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="session"):
        Session.from_json(Scripted(), text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "utterance", "values", "stated"),
    [
        (0, "a table for 4 tomorrow", ["4", "tomorrow"], True),
        (0, "reserve something at Roma", ["Roma"], True),
        (0, "make it 5 guests", ["5"], False),
        (0, "and at Roma?", ["Roma"], False),
        (0, "the restaurant is Roma", ["Roma"], False),
        (1, "the weather in Lyon", ["Lyon"], True),
        (1, "and in Lyon?", ["Lyon"], False),
        (1, "Weather", ["Weather"], False),
        (0, "I'd like to be at Roma with 4", ["Roma", "4"], True),
        (0, "I'd like it at Roma instead", ["Roma"], False),
        (0, "no, I want 5", ["5"], False),
    ],
)
def test_a_request_of_its_own_speaks_of_what_the_function_is_for(
    function: int, utterance: str, values: Sequence[str], stated: bool
) -> None:
    spans = [Span(utterance.index(value), utterance.index(value) + len(value)) for value in values]
    assert states_intent(DOMAIN.functions[function], utterance, spans) is stated


@pytest.mark.parametrize(
    ("utterance", "value", "stated"),
    [("北京天气怎么样", "北京", True), ("那青岛呢", "青岛", False), ("城市改成上海", "上海", False),
     ("我想知道上海的情况", "上海", True), ("我想改成上海", "上海", False), ("やっぱり上海を教えてください", "上海", False)],
)
def test_scripts_without_spaces_are_read_alike(utterance: str, value: str, stated: bool) -> None:
    city = {"type": "object", "properties": {"city": {"type": "string", "description": "要查天气的城市"}}}
    weather = {"label": "get_weather", "name": ["天气情况", "查询天气怎么样"], "description": "播报某个城市", "parameters": city}
    (function,) = read_specs([weather])
    span = Span(utterance.index(value), utterance.index(value) + len(value))
    assert states_intent(function, utterance, [span]) is stated


# ---- with a model --------------------------------------------------------------------------

TRIP = {"origin": "Amsterdam Centraal", "destination": "Utrecht Centraal"}
TALKS: list[tuple[str, list[tuple[str, str, Mapping[str, JsonValue], bool]]]] = [
    ("a short request, then what changes in it", [
        ("ams utr", "plan_trip", TRIP, True),
        ("arr 7", "plan_trip", {**TRIP, "arrive_at": "19:00"}, True),
        ("to Gouda instead", "plan_trip", {**TRIP, "destination": "Gouda", "arrive_at": "19:00"}, True),
    ]),
    ("a question, a remark, an answer, a change, another subject", [
        ("I want to go to Gouda", "plan_trip", {"destination": "Gouda"}, False),
        ("say that again please", "repeat", {}, True),
        ("from Breda", "plan_trip", {"origin": "Breda", "destination": "Gouda"}, True),
        ("change the destination to Tilburg", "plan_trip", {"origin": "Breda", "destination": "Tilburg"}, True),
        ("is there a museum in Utrecht?", "outings", {"area": "Utrecht", "kind": "museum"}, True),
        ("and in Gouda?", "outings", {"area": "Gouda", "kind": "museum"}, True),
        ("never mind", "abort_intent", {}, True),
    ]),
    ("a pick from what was asked", [
        ("buy me a ticket", "buy_ticket", {}, False),
        ("the second one", "buy_ticket", {"kind": "return"}, True),
    ]),
    ("a new request of the same function", [
        ("how do I get from Breda to Gouda by train", "plan_trip", {"origin": "Breda", "destination": "Gouda"}, True),
        ("I want to go to Tilburg", "plan_trip", {"destination": "Tilburg"}, False),
    ]),
]  # fmt: skip


@pytest.mark.model
@pytest.mark.parametrize(("sentence", "talk"), TALKS, ids=[sentence for sentence, _ in TALKS])
def test_a_conversation_with_a_model(talking: Converter, sentence: str, talk: list[Any]) -> None:
    session = Session(talking)
    for utterance, label, arguments, complete in talk:
        turn = session.say(utterance, now=NOW)
        assert (turn.call.name, dict(turn.call.arguments), turn.complete) == (label, arguments, complete), utterance
        session = Session.from_json(talking, session.to_json())


@pytest.mark.model
def test_an_error_leaves_the_session_as_it_was(talking: Converter) -> None:
    session = Session(talking)
    session.say("I want to go to Gouda", now=NOW)
    before = session.to_json()
    with pytest.raises(InputError):
        session.say("half a \ud800 pair")
    assert session.to_json() == before


@pytest.fixture(scope="session")
def talked(talking: Converter, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the artifact that ``talking`` was read from."""
    return next(tmp_path_factory.getbasetemp().glob("talking*/city"))


@pytest.mark.model
def test_chat_reads_a_pipe_and_keeps_the_session(talked: Path, tmp_path: Path) -> None:
    kept = tmp_path / "session.json"
    command = [sys.executable, "-m", "constrained_du", "chat", str(talked), "--now", NOW.isoformat(), "--session", str(kept)]
    ran = subprocess.run(command, input=b"I want to go to Gouda\n\n", capture_output=True, check=False)
    assert (ran.returncode, ran.stdout.decode().splitlines()) == (0, [
        '  plan_trip(destination="Gouda")', "? plan a train trip: origin? (the station to leave from)",
    ])  # fmt: skip
    said = "from Breda\n\ud800\nhelp\ngoodbye\nnever read\n".encode("utf-8", "surrogatepass")
    ran = subprocess.run([*command, "--json"], input=said, capture_output=True, check=False)
    question, *lines = ran.stdout.decode().splitlines()
    calls = [json.loads(line)["call"] for line in lines]
    assert question.startswith("? plan a train trip: origin?") and ran.returncode == 2 and b"\n" in ran.stderr
    assert [call["name"] for call in calls] == ["plan_trip", "help", "close_session"]
    assert calls[0]["arguments"] == {"origin": "Breda", "destination": "Gouda"}
    assert json.loads(kept.read_text())["frame"] is None


@pytest.mark.model
def test_chat_refuses_a_session_that_is_none(
    talked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.json").write_text("[]")
    assert main(["chat", str(talked), "--session", str(tmp_path / "s.json")]) == 2
    assert "session" in capsys.readouterr().err


