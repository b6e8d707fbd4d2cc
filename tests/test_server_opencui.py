"""OpenCUI's protocol, as its Python service speaks it and its Kotlin runtime asks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import ROOT, Served, served

pytestmark = pytest.mark.model

BOT = "org_table_en_master"  # as the runtime writes it: organisation, agent, language, branch
TEXT = "i want a table for four at lupita's at 7pm"  # the runtime sends lower case


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root of bot folders: one in the native form, one as OpenAI's list."""
    root = tmp_path_factory.mktemp("bots")
    native = root / BOT
    native.mkdir()
    schemas = {
        "skills": {
            "book_table": {
                "name": "book a table", "label": "book_table", "description": "Reserve a table at a restaurant.",
                "slots": ["restaurant", "people", "at"],
            },
            "opening_hours": {
                "name": "opening hours", "label": "opening_hours", "description": "When a restaurant is open.",
                "slots": ["restaurant"],
            },
        },
        "slots": {
            "restaurant": {"name": "restaurant", "label": "restaurant", "type": "Restaurant", "description": "where"},
            "book_table.people": {"name": "people", "label": "people", "type": "kotlin.Int", "description": "how many"},
            "book_table.at": {"name": "time", "label": "at", "type": "java.time.LocalTime", "description": "the time"},
        },
    }  # fmt: skip
    exemplars = {
        "book_table": [{"template": "a table for <people> at <restaurant>", "owner_mode": "normal"}],
        "opening_hours": [{"template": "is <restaurant> open on sundays", "owner_mode": "normal"}],
    }
    places = [{"label": "Casa Lupita", "expressions": ["casa lupita", "lupita's"]}, {"label": "Pier Nine"}]
    recognizers = {"recognizers": {"Restaurant": {"name": "restaurant", "rec_type": "list", "instances": places}}}
    for name, document in (("schemas", schemas), ("exemplars", exemplars), ("recognizers", recognizers)):
        (native / f"{name}.json").write_text(json.dumps(document))
    shutil.copytree(ROOT / "grammars" / "home_en", root / "home_en")
    (root / "notes").mkdir()
    (root / "talk").mkdir()
    stop = {"label": "stop", "name": ["stop"], "description": "Give up.", "x-conversation": "abort_intent"}
    help_me = {"label": "help", "name": ["help"], "description": "Say what you can do.", "x-conversation": "help"}
    (root / "talk" / "schemas.json").write_text(json.dumps([stop, help_me]))
    (root / "talk" / "exemplars.json").write_text(json.dumps({"stop": ["never mind"], "help": ["help me"]}))
    return root


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Served]:
    with served(folder) as running:
        yield running


def predict(server: Served, bot: str = BOT, **body: Any) -> Any:
    reply = server("POST", f"/v1/predict/{bot}", body)
    assert reply.status == 200, reply
    return reply.json


def test_bot_folders_are_loaded_as_they_are(server: Served) -> None:
    assert server("GET", "/hello").text == "Ok"
    assert server("GET", "/healthz").json["models"] == ["home_en", BOT, "talk"]
    for path in (f"/v1/load/{BOT}", f"/v1/index/{BOT}", "/v1/load/home_en"):
        assert server("GET", path).text == "Ok"


def test_a_skill_is_owned_by_its_label(server: Served) -> None:
    assert predict(server, mode="SKILL", utterance=TEXT, expectedFrames=[], candidates={}) == [
        {"owner": "book_table", "evidence": [], "utterance": TEXT}
    ]
    assert predict(server, "home_en", mode="SKILL", utterance="turn on the lights in the kitchen")[0]["owner"]


def test_what_is_not_understood_has_no_owner(server: Served) -> None:
    (item,) = predict(server, mode="SKILL", utterance="colourless green ideas sleep furiously")
    assert "owner" not in item


def test_conversation_functions_have_the_runtimes_names(server: Served) -> None:
    for said, owner in (("never mind", "io.opencui.core.AbortIntent"), ("help me", "help")):
        assert predict(server, "talk", mode="SKILL", utterance=said)[0]["owner"] == owner


def test_expected_frames_make_half_a_phrase_a_skill(server: Served) -> None:
    for key in ("expectedFrames", "expectations"):
        frames = [
            {"frame": "opening_hours", "slot": "restaurant"},
            {"frame": "io.opencui.core.SlotUpdate", "slot": "newValue"},
        ]
        (item,) = predict(server, mode="SKILL", utterance="pier nine", **{key: frames})
        assert item["owner"] == "opening_hours"


SLOTS: list[tuple[str, dict[str, Any], dict[str, list[str]]]] = [
    ("all of the frame", {"targetFrame": "book_table"},
     {"restaurant": ["lupita's"], "people": ["four"], "at": ["7pm"]}),
    ("only those asked for", {"targetFrame": "book_table", "slots": [{"label": "people", "name": "people"}]},
     {"people": ["four"]}),
    ("an older runtime names no frame", {"slots": [{"label": "book_table.people"}, {"label": "book_table.at"}]},
     {"people": ["four"], "at": ["7pm"]}),
    ("candidates restrict, whatever their case", {"targetFrame": "book_table", "candidates": {
        "Restaurant": ["TABLE"], "at": ["7PM"], "java.time.LocalDate": ["four"]}},
     {"restaurant": ["table"], "people": ["four"], "at": ["7pm"]}),
]  # fmt: skip


@pytest.mark.parametrize(("more", "values"), [row[1:] for row in SLOTS], ids=[row[0] for row in SLOTS])
def test_slots_hold_what_was_said(server: Served, more: dict[str, Any], values: dict[str, list[str]]) -> None:
    filled = predict(server, mode="SLOT", utterance=TEXT, **more)
    assert filled == {slot: {"values": said, "operator": "=="} for slot, said in values.items()}


BINARY: list[tuple[str, str]] = [
    ("yes, absolutely.", "Affirmative"),
    ("sure", "Affirmative"),
    ("no thanks", "Negative"),
    ("i really don't want that", "Negative"),
    ("i don't care", "Indifferent"),
    ("it makes no difference", "Indifferent"),
    ("where is the station", "Irrelevant"),
    ("boston", "Irrelevant"),
    ("好的", "Affirmative"),
    ("いいえ", "Negative"),
]


@pytest.mark.parametrize(("said", "verdict"), BINARY)
def test_yes_and_no_are_told_apart(server: Served, said: str, verdict: str) -> None:
    assert predict(server, mode="BINARY", utterance=said, question="Are you sure you want the white one?") == verdict


def test_a_list_of_questions_gets_a_list(server: Served) -> None:
    assert predict(server, mode="BINARY", utterance="yes", questions=["Are you sure?"]) == ["Affirmative"]


REFUSED: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("a bot that is not there", "nobody", {"mode": "SKILL", "utterance": "hi"}, 404, "bot"),
    ("a folder that is no bot", "notes", {"mode": "SKILL", "utterance": "hi"}, 404, "bot"),
    ("a mode that is none", BOT, {"mode": "SEGMENT", "utterance": "hi"}, 400, "mode"),
    ("no utterance", BOT, {"mode": "SKILL"}, 400, "utterance"),
    ("an empty utterance", BOT, {"mode": "SKILL", "utterance": ""}, 400, "utterance"),
    ("a frame that is not there", BOT, {"mode": "SLOT", "utterance": "hi", "targetFrame": "fly"}, 404, "targetFrame"),
    ("no frame at all", BOT, {"mode": "SLOT", "utterance": "hi"}, 400, "targetFrame"),
]


@pytest.mark.parametrize(
    ("bot", "body", "status", "param"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_cannot_be_answered_says_why(
    server: Served, bot: str, body: dict[str, Any], status: int, param: str
) -> None:
    reply = server("POST", f"/v1/predict/{bot}", body)
    assert (reply.status, reply.json["error"]["param"]) == (status, param)


def test_index_reads_a_changed_bot_anew_and_a_broken_one_goes_on(server: Served, folder: Path) -> None:
    file = folder / BOT / "exemplars.json"
    before = file.read_text()
    try:
        file.write_text(json.dumps({"opening_hours": ["may we sit down there"]}))
        assert server("GET", f"/v1/index/{BOT}").status == 200
        (item,) = predict(server, mode="SKILL", utterance="may we sit down there")
        assert item["owner"] == "opening_hours"
        file.write_text("{")
        broken = server("GET", f"/v1/index/{BOT}")
        assert broken.status == 500 and str(folder) not in broken.text and "Traceback" not in broken.text
        assert predict(server, mode="SKILL", utterance="may we sit down there")[0]["owner"] == "opening_hours"
    finally:
        file.write_text(before)


def test_a_bot_that_comes_later_is_found(server: Served, folder: Path) -> None:
    assert server("GET", "/v1/load/late").status == 404
    shutil.copytree(folder / BOT, folder / "late")
    assert server("GET", "/v1/load/late").status == 200
