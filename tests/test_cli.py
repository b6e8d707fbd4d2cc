"""The command line from outside: exit codes, one line on stderr, answers on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from constrained_du.cli import main

ROOT = Path(__file__).resolve().parent.parent
DOMAIN = ROOT / "grammars" / "city_app_en"
pytestmark = pytest.mark.model


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs commands in this process, so that models are loaded once."""

    def __init__(self, capture: pytest.CaptureFixture[str], artifact: Path) -> None:
        self.capture, self.artifact = capture, str(artifact)

    def __call__(self, *arguments: str | Path) -> Ran:
        self.capture.readouterr()
        code = main([str(argument) for argument in arguments])
        return Ran(code, *self.capture.readouterr())


@pytest.fixture(scope="module")
def artifact(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The city app, compiled by the command line without the embedder."""
    target = tmp_path_factory.mktemp("cli") / "city"
    files = ["--exemplars", DOMAIN / "exemplars.json", "--recognizers", DOMAIN / "recognizers.json"]
    command = ["compile", DOMAIN / "specs.json", *files, "--embedder", "none", "-o", target]
    assert main([str(word) for word in command]) == 0
    return target


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], artifact: Path) -> Shell:
    return Shell(capsys, artifact)


def run(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A process of its own, for what only one shows: stdin, pipes, the environment."""
    command = [sys.executable, "-m", "constrained_du", *map(str, arguments)]
    own = os.environ | environment
    return subprocess.run(command, input=stdin, capture_output=True, env=own, cwd=ROOT, check=False)


# ---- convert -------------------------------------------------------------------------------


def test_json_holds_the_call_with_spans_missing_and_cost(shell: Shell) -> None:
    ran = shell("convert", shell.artifact, "I'd like to buy a ticket", "--json")
    (call,) = ran.json["calls"]
    assert ran.code == 0 and ran.out.count("\n") == 1 and ran.err == ""
    assert set(call) == {"name", "arguments", "spans", "missing", "clarification", "confidence", "operators"}
    assert call["name"] == "buy_ticket" and call["arguments"] == {}
    assert ran.json["understood"] is True and 0 <= ran.json["confidence"] <= 1
    assert set(ran.json["stats"]) == {"tokens_evaluated", "forward_passes", "seconds"}


def test_a_person_sees_the_words_underlined_and_the_link(shell: Shell) -> None:
    text = "show me museum events in Amsterdam"
    ran = shell("convert", shell.artifact, text, "--link", "--functions", "outings", "--tool-choice", "required")
    lines = ran.out.splitlines()
    assert lines[0] == f"  {text}"
    assert lines[1].index("‾" * len("Amsterdam")) == lines[0].index("Amsterdam")
    assert 'outings(area="Amsterdam"' in ran.out
    assert "link: outings?area=Amsterdam" in ran.out


def test_entities_restrict_and_may_have_a_value(shell: Shell) -> None:
    words = ("what is on in town", "--functions", "outings", "--tool-choice", "outings", "--json")
    said = shell("convert", shell.artifact, *words, "--entity", "area=14:18")
    assert said.json["calls"][0]["arguments"] == {"area": "town"}
    canonical = shell("convert", shell.artifact, *words, "--entity", "outings.area=14:18=The Hague")
    assert canonical.json["calls"][0]["arguments"] == {"area": "The Hague"}
    as_json = shell("convert", shell.artifact, *words, "--entity", 'area=14:18:="Den Haag"')
    assert as_json.json["calls"][0]["arguments"] == {"area": "Den Haag"}
    none = shell("convert", shell.artifact, "what is on in Amsterdam", *words[1:], "--entity", "area=")
    assert none.json["calls"][0]["arguments"] == {}


def test_an_expectation_makes_half_a_phrase_a_call(shell: Shell) -> None:
    ran = shell("convert", shell.artifact, "Gouda", "--expect", "destination@plan_trip", "--json")
    assert ran.json["calls"][0]["name"] == "plan_trip"
    assert ran.json["calls"][0]["arguments"] == {"destination": "Gouda"}


def test_openai_is_a_chat_message(shell: Shell) -> None:
    ran = shell("convert", shell.artifact, "open the settings", "--openai")
    (call,) = ran.json["tool_calls"]
    assert ran.json["role"] == "assistant" and call["type"] == "function"
    assert isinstance(json.loads(call["function"]["arguments"]), dict)


def test_none_of_the_functions_and_a_blank_are_refusals(shell: Shell) -> None:
    for words in (["open the settings", "--tool-choice", "none"], ["  "]):
        ran = shell("convert", shell.artifact, *words, "--json")
        assert (ran.code, ran.json["understood"], ran.json["calls"][0]["name"]) == (0, False, "do_not_understand")


def test_explain_shows_the_rivals_and_the_choices(shell: Shell) -> None:
    ran = shell("convert", shell.artifact, "any film in Utrecht?", "--json", "--explain", "--n-best", "2")
    explained = ran.json["explanation"]
    assert {row["name"] for row in explained["functions"]} >= {"outings", "do_not_understand"}
    assert len(ran.json["alternatives"]) == 2
    readable = shell("convert", shell.artifact, "any film in Utrecht?", "--explain")
    assert "decided by" in readable.out and "outings" in readable.out


def test_each_line_of_stdin_gets_one_answer_even_a_bad_one(artifact: Path) -> None:
    lines = "open the settings\r\n\nbad\0line\n京都\udc80"
    ran = run("convert", artifact, "-", "--json", stdin=lines.encode("utf-8", "surrogateescape"))
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode == 2 and len(answers) == 4
    assert answers[1]["understood"] is False
    assert [answer.get("error", {}).get("type") for answer in answers] == [None, None, "InputError", "InputError"]
    assert [line.split(b":")[1] for line in ran.stderr.splitlines()] == [b" line 3", b" line 4"]


def test_a_reader_that_has_seen_enough_ends_it_quietly(artifact: Path) -> None:
    command = f"yes '  ' | {sys.executable} -m constrained_du convert {artifact} - | head -n 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert ran.stdout.count(b"\n") == 1 and ran.stderr == b""


# ---- compile and emit ----------------------------------------------------------------------


@pytest.mark.parametrize("notation", ["gbnf", "regex", "lark"])
def test_emit_writes_what_the_grammar_files_hold(shell: Shell, notation: str) -> None:
    utterance = (DOMAIN / "utterance.txt").read_text("utf-8").strip()
    ran = shell("emit", shell.artifact, f"--{notation}", "--utterance", utterance, "--now", "2023-07-11T09:00:00Z")
    assert ran.code == 0
    assert ran.out == (DOMAIN / f"grammar.{notation}").read_text("utf-8")


def test_keep_going_leaves_out_what_is_wrong_and_says_so(shell: Shell, tmp_path: Path) -> None:
    bad = {"label": "broken", "name": ["break"], "parameters": {"type": "object", "properties": {"x": {"not": {}}}}}
    specs = tmp_path / "specs.json"
    specs.write_text(json.dumps([{"label": "ping", "name": ["ping"], "parameters": {"properties": {}}}, bad]))
    refused = shell("compile", specs, "--embedder", "none", "-o", tmp_path / "a")
    assert (refused.code, refused.err.count("\n")) == (2, 1) and "not" in refused.err
    kept = shell("compile", specs, "--embedder", "none", "--keep-going", "--no-state", "-o", tmp_path / "a")
    assert kept.code == 0 and "1 functions" in kept.out
    assert "left out" in kept.err


# ---- eval ----------------------------------------------------------------------------------


def test_eval_reports_writes_draws_suggests_and_fails(shell: Shell, tmp_path: Path) -> None:
    settings = {"name": "show_screen", "arguments": {"screen": "settings"}}
    rows = [
        {"id": "a-1", "utterance": "show me the settings", "calls": [settings]},
        {"id": "a-2", "utterance": "show me the settings", "calls": [{"name": "outings", "arguments": {}}]},
    ]
    data, out = tmp_path / "data.jsonl", tmp_path / "report.json"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = shell("eval", shell.artifact, data, "--json", out, "--plots", tmp_path / "plots", "--suggest")
    assert ran.code == 0 and "exact call" in ran.out
    report = json.loads(out.read_text("utf-8"))
    assert report["figures"]["lines"] == 2 and report["figures"]["valid"]["rate"] == 1.0
    assert (tmp_path / "plots" / "confusion.png").read_bytes().startswith(b"\x89PNG")
    failed = shell("eval", shell.artifact, data, "--fail-under", "exact=0.9")
    assert failed.code == 1 and "exact is 0.5, below 0.9" in failed.err


# ---- models, serve, demo -------------------------------------------------------------------


def test_models_are_listed_located_and_verified(shell: Shell, model_path: Path) -> None:
    listed = shell("models", "list")
    assert "smollm2-135m-instruct" in listed.out and "Apache-2.0" in listed.out
    assert shell("models", "path", "smollm2-135m-instruct").out.strip() == str(model_path)
    assert shell("models", "verify", "smollm2-135m-instruct").code == 0
    assert shell("models", "pull", "smollm2-135m-instruct").out.strip() == str(model_path)


def test_a_model_that_was_not_pulled_names_the_command(tmp_path: Path) -> None:
    ran = run("demo", CONSTRAINED_DU_HOME=str(tmp_path))
    assert ran.returncode == 2 and ran.stderr.count(b"\n") == 1
    assert b"constrained-du models pull smollm2-135m-instruct" in ran.stderr


def test_the_demo_shows_every_scenario_and_takes_ones_own(shell: Shell) -> None:
    tour = shell("demo")
    assert tour.code == 0 and tour.out.count("confidence ") == 8
    assert 'book_table(party_size=4, time="19:00")' in tour.out and "missing: date" in tour.out
    own = shell("demo", "I'd like to reserve a table for 8 at Olive Terrace")
    assert own.code == 0 and 'restaurant="Olive Terrace"' in own.out and own.err == ""


# ---- wrong usage and wrong input: exit 2, one line, no traceback -----------------------------

WRONG: list[tuple[str, Sequence[str], str]] = [
    ("no such command", ["nonsense"], "nonsense"),
    ("no such option", ["convert", "DIR", "hi", "--nope"], "--nope"),
    ("an argument is missing", ["convert", "DIR"], "UTTERANCE"),
    ("no artifact", ["convert", "/nonexistent", "hi"], "/nonexistent"),
    ("an entity without a span", ["convert", "DIR", "hi", "--entity", "area"], "KEY=START:END"),
    ("an entity with a bad value", ["convert", "DIR", "hi", "--entity", "area=0:2:={"], "JSON"),
    ("an entity out of range", ["convert", "DIR", "hi", "--entity", "area=0:9"], "0, 9"),
    ("an entity that no slot uses", ["convert", "DIR", "hi", "--entity", "planet=0:2"], "planet"),
    ("an expectation of no function", ["convert", "DIR", "hi", "--expect", "area@nothing"], "nothing"),
    ("an expectation without a function", ["convert", "DIR", "hi", "--expect", "area"], "SLOT@FUNCTION"),
    ("a time that is none", ["convert", "DIR", "hi", "--now", "yesterday"], "yesterday"),
    ("no such function", ["convert", "DIR", "hi", "--functions", "fly"], "fly"),
    ("a bad tool choice", ["convert", "DIR", "hi", "--tool-choice", "fly"], "fly"),
    ("no answers wanted", ["convert", "DIR", "hi", "--n-best", "0"], "n_best"),
    ("too long", ["convert", "DIR", "ab " * 5000], "context"),
    ("two forms at once", ["convert", "DIR", "hi", "--openai", "--link"], "--openai"),
    ("another model than it was made for", ["convert", "DIR", "hi", "--model", "all-minilm-l6-v2"], "DIR"),
    ("no notation", ["emit", "DIR"], "--gbnf"),
    ("a spec that is not there", ["compile", "/nonexistent.json", "-o", "/nonexistent/x"], "/nonexistent.json"),
    ("a target that exists", ["compile", "specs.json", "-o", "DIR"], "--overwrite"),
    ("no model of that name", ["compile", "specs.json", "--model", "gpt-9", "-o", "/nonexistent/x"], "gpt-9"),
    ("data that is not there", ["eval", "DIR", "/nonexistent.jsonl"], "/nonexistent.jsonl"),
    ("a threshold of no figure", ["eval", "DIR", "DATA", "--fail-under", "beauty=1"], "beauty"),
    ("no model to pull", ["models", "pull", "gpt-9"], "gpt-9"),
    ("two ways to pull", ["models", "pull", "gemma3-270m", "--auto", "--plain"], "--auto"),
]


@pytest.mark.parametrize(("arguments", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_use_is_one_line_and_exit_two(shell: Shell, tmp_path: Path, arguments: Sequence[str], told: str) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"utterance": "hi", "calls": []}\n')
    places = {"DIR": shell.artifact, "DATA": str(data), "specs.json": str(DOMAIN / "specs.json")}
    ran = shell(*(places.get(argument, argument) for argument in arguments))
    assert ran.code == 2
    assert ran.err.startswith("constrained-du: ") and ran.err.count("\n") == 1, ran.err
    assert places.get(told, told) in ran.err
    assert ran.out == ""


def test_no_command_shows_help(shell: Shell) -> None:
    ran = shell()
    assert ran.code == 0 and "convert" in ran.out and ran.err == ""
