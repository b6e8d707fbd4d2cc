"""The API on the real model: compile, save, load, ask; the same answers everywhere."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from constrained_du import (
    ArtifactError,
    ArtifactMismatchError,
    ArtifactVersionError,
    CandidateError,
    Converter,
    ExemplarError,
    InputError,
    ModelError,
    NotFinalizedError,
    Result,
    SpecError,
    SpecWarning,
)  # fmt: skip

SPECS: list[dict[str, Any]] = [
    {
        "label": "ring_alarm",
        "name": ["set an alarm"],
        "description": "Set an alarm clock for a time of day",
        "parameters": {
            "type": "object",
            "properties": {"at": {"type": "string", "format": "time", "description": "when the alarm rings"}},
            "required": ["at"],
        },
    },
    {
        "type": "function",
        "function": {
            "name": "water_plants",
            "description": "Water the plants in a part of the garden",
            "parameters": {
                "type": "object",
                "properties": {"bed": {"type": "bed"}, "minutes": {"type": "integer", "minimum": 1, "maximum": 60}},
                "required": ["bed"],
            },
        },
    },
    {"name": "open_gate", "description": "Open the garden gate"},
]
EXEMPLARS = {"open_gate": [{"template": "let the dog out"}], "water_plants": [{"template": "the <bed> is thirsty"}]}
RECOGNIZERS = {"bed": {"name": "bed", "description": "a bed", "instances": [
    {"label": "roses", "expressions": ["roses", "rose bed"]}, {"label": "herbs", "expressions": ["herbs", "herb garden"]},
]}}  # fmt: skip
LINES = ["water the rose bed for ten minutes", "wake me at 6:30 am", "open the gate please", "let the dog out",
         "who won the match yesterday", "the herbs is thirsty"]  # fmt: skip


def built() -> Converter:
    return Converter().add_function_specs(SPECS).add_recognizers(RECOGNIZERS).add_exemplars(EXEMPLARS)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return_to = tmp_path_factory.mktemp("saved") / "garden – Garten 庭"
    built().finalize(return_to)
    return return_to


@pytest.fixture(scope="module")
def garden(artifact: Path) -> Converter:
    return Converter.load_from_disk(artifact)


def seen(result: Result) -> list[Any]:
    return [[(c.name, list(c.arguments.items()), c.spans, c.missing) for c in a.calls] + [a.score] for a in result.alternatives]


ROWS = [
    ("water the rose bed for ten minutes", "water_plants", {"bed": "roses", "minutes": 10}, ()),
    ("water the plants", "water_plants", {}, ("bed",)),
    ("wake me at 6:30 am", "ring_alarm", {"at": "06:30"}, ()),
    ("open the gate please", "open_gate", {}, ()),
    ("Let the dog out!", "open_gate", {}, ()),
    ("the herb garden is thirsty", "water_plants", {"bed": "herbs"}, ()),
]


@pytest.mark.parametrize(("utterance", "name", "arguments", "missing"), ROWS, ids=[row[0] for row in ROWS])
def test_an_utterance_becomes_the_call_it_asks_for(
    garden: Converter, utterance: str, name: str, arguments: dict[str, Any], missing: tuple[str, ...]
) -> None:
    result = garden.convert(utterance)
    assert [(call.name, dict(call.arguments), call.missing) for call in result] == [(name, arguments, missing)]
    assert result.understood and 0 < result.confidence <= 1
    for slot, span in result[0].spans.items():
        assert utterance[span.start : span.end].strip(), slot


def test_what_no_function_does_is_not_understood(garden: Converter) -> None:
    result = garden.convert("who won the match yesterday")
    assert not result.understood and result[0].name == "do_not_understand" and result[0].arguments == {}


def test_the_openai_message_says_what_the_calls_say(garden: Converter) -> None:
    result = garden.convert("water the rose bed for ten minutes")
    message = result.to_openai()
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"bed": "roses", "minutes": 10}
    assert message["role"] == "assistant" and message["content"] is None
    assert result.to_openai(legacy=True)["function_call"]["name"] == "water_plants"
    refused = garden.convert("who won the match yesterday")
    assert refused.to_openai()["tool_calls"][0]["function"]["name"] == "do_not_understand"
    assert refused.to_openai(fallback="content") == {"role": "assistant", "content": None}


def test_a_value_only_reply_fills_what_was_asked(garden: Converter) -> None:
    result = garden.convert("herbs", expectations=[("bed", "water_plants")])
    assert (result[0].name, dict(result[0].arguments)) == ("water_plants", {"bed": "herbs"})
    other = garden.convert("open the gate please", expectations=[("bed", "water_plants")])
    assert other[0].name == "open_gate"


def test_expections_is_an_alias(garden: Converter) -> None:
    asked = [("bed", "water_plants")]
    assert seen(garden.convert("herbs", expections=asked)) == seen(garden.convert("herbs", expectations=asked))


def test_saved_and_loaded_answer_alike_key_order_included(artifact: Path) -> None:
    fresh, loaded = built().finalize(), Converter.load_from_disk(artifact)
    again = Converter().load_from_disk(artifact)
    for line in LINES:
        answers = [seen(converter.convert(line, n_best=5)) for converter in (fresh, loaded, again)]
        assert answers[0] == answers[1] == answers[2]


def test_the_order_of_requests_changes_nothing(garden: Converter) -> None:
    forwards = {line: seen(garden.convert(line, n_best=3)) for line in LINES}
    backwards = {line: seen(garden.convert(line, n_best=3)) for line in reversed(LINES)}
    assert forwards == backwards


def test_batch_async_and_threads_give_what_single_calls_give(garden: Converter) -> None:
    single = [seen(garden.convert(line)) for line in LINES]
    assert [seen(result) for result in garden.convert_batch(LINES)] == single

    async def at_once() -> list[Result]:
        return list(await asyncio.gather(*(garden.aconvert(line) for line in LINES)))

    assert [seen(result) for result in asyncio.run(at_once())] == single
    with ThreadPoolExecutor(4) as pool:
        assert [seen(result) for result in pool.map(garden.convert, LINES * 3)] == single * 3


SCRIPT = """
import sys, json
from constrained_du import Converter
du = Converter.load_from_disk(sys.argv[1])
print(json.dumps([[a.score, a.calls[0].to_json()] for u in sys.argv[2:] for a in du.convert(u, n_best=4).alternatives]))
"""


def test_two_processes_with_different_hash_seeds_give_the_same_bytes(artifact: Path) -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(artifact), *LINES], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "77")
    }  # fmt: skip
    assert len(printed) == 1


def test_an_existing_target_is_kept_unless_it_is_to_be_overwritten(artifact: Path) -> None:
    before = {path.name: path.read_bytes() for path in artifact.iterdir()}
    with pytest.raises(ArtifactError, match="exists"):
        built().finalize(artifact)
    assert {path.name: path.read_bytes() for path in artifact.iterdir()} == before
    built().finalize(artifact, overwrite=True)
    assert {path.name: path.read_bytes() for path in artifact.iterdir()} == before, "the same input gives the same bytes"


def test_every_file_of_an_artifact_is_checked(artifact: Path, tmp_path: Path) -> None:
    for path in sorted(artifact.iterdir()):
        whole = path.read_bytes()
        for damaged in (whole[:-1], whole[: len(whole) // 2], b"", whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
            if damaged.strip() == whole.strip():
                continue  # the last line end of a JSON file says nothing
            copy = tmp_path / "copy"
            copy.mkdir(exist_ok=True)
            for other in artifact.iterdir():
                (copy / other.name).write_bytes(other.read_bytes() if other != path else damaged)
            with pytest.raises(ArtifactError):
                Converter.load_from_disk(copy)


def test_what_is_no_artifact_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(ArtifactError, match=str(tmp_path)):
            Converter.load_from_disk(place)


def test_a_newer_format_and_another_model_are_told_apart(artifact: Path, tmp_path: Path, multilingual_path: Path) -> None:
    with pytest.raises(ArtifactMismatchError, match="smollm2"):
        Converter.load_from_disk(artifact, model=multilingual_path)
    for path in artifact.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(ArtifactVersionError, match="99"):
        Converter.load_from_disk(tmp_path)


BAD = [
    ("an utterance that is no text", InputError, {"utterance": 7}),
    ("NUL", InputError, {"utterance": "a\0b"}),
    ("half a surrogate pair", InputError, {"utterance": "a\ud800"}),
    ("an unknown function", InputError, {"functions": ["fly"]}),
    ("an unknown tool choice", InputError, {"tool_choice": "fly"}),
    ("now as text", InputError, {"now": "2024-01-01"}),
    ("n_best of zero", InputError, {"n_best": 0}),
    ("entities of no slot", CandidateError, {"entities": {"planet": [(0, 1)]}}),
    ("a span beyond the utterance", CandidateError, {"entities": {"bed": [(0, 99)]}}),
    ("an expectation of no function", CandidateError, {"expectations": [("bed", "fly")]}),
]


@pytest.mark.parametrize(("error", "arguments"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_input_is_a_clear_error_and_changes_nothing(garden: Converter, error: type[Exception], arguments: Any) -> None:
    before = seen(garden.convert(LINES[0]))
    with pytest.raises(error):
        garden.convert(**{"utterance": "water the herbs", **arguments})
    assert seen(garden.convert(LINES[0])) == before


def test_building_fails_early_and_whole() -> None:
    converter = Converter()
    with pytest.raises(NotFinalizedError):
        converter.convert("hello")
    with pytest.raises(SpecError, match="2 problems"):
        converter.add_function_specs([{"name": "good"}, {"description": "no name"}, {"name": "odd", "parameters": 5}])
    assert converter.labels == ()
    converter.add_function_specs(SPECS)
    with pytest.raises(ExemplarError, match="fly"):
        converter.add_exemplars({"fly": [{"template": "up"}]})
    with pytest.raises(SpecError, match="open_gate"):
        converter.add_function_specs([{"name": "open_gate"}])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        converter.add_function_specs([{"name": "park", "parameters": {"type": "object", "required": ["ghost"]}}])
    assert any(issubclass(w.category, SpecWarning) and "ghost" in str(w.message) for w in caught)


def test_a_model_that_is_not_there_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONSTRAINED_DU_HOME", str(tmp_path))
    with pytest.raises(ModelError, match="constrained-du models pull smollm2-135m-instruct"):
        Converter()


def test_accepts_says_what_could_be_said(garden: Converter) -> None:
    text = "water the rose bed for ten minutes"
    assert garden.accepts({"name": "water_plants", "arguments": {"bed": "roses", "minutes": 10}}, text)
    assert garden.accepts({"name": "water_plants", "arguments": {}}, text)
    assert garden.accepts({"name": "do_not_understand", "arguments": {}}, text)
    assert not garden.accepts({"name": "water_plants", "arguments": {"bed": "herbs"}}, text)
    assert not garden.accepts({"name": "water_plants", "arguments": {"minutes": 1}}, text)
    assert not garden.accepts({"name": "fly", "arguments": {}}, text)


def test_relative_times_are_read_against_now(garden: Converter) -> None:
    result = garden.convert("wake me in half an hour", now=datetime(2026, 3, 5, 22, 50), tool_choice="ring_alarm")
    assert result[0].arguments.get("at") in (None, "23:20")
