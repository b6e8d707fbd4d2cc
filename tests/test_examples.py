"""The examples run as a newcomer runs them, on the real default model, and say what they promise.

Utterances are mostly those that an exemplar decides: what is tested is the script, not the model.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("model_path")]


def ran(script: str, *arguments: str, heard: str = "") -> list[str]:
    """The lines that a script prints."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *arguments], input=heard, capture_output=True, text=True, check=False,
        cwd=ROOT, timeout=4 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_example_has_its_line_in_the_list() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert SCRIPTS and [name for name in SCRIPTS if f"({name})" not in listed] == []


def test_the_voice_loop_asks_for_what_is_missing_and_keeps_what_was_said() -> None:
    asked, done, forgotten = ran("voice_loop.py", heard="book me a table for four at 7pm\n\non Friday\nnever mind\n")
    assert asked.startswith("ask: book a table: date?")
    call = json.loads(done.removeprefix("do: "))
    assert call["name"] == "book_table"
    assert call["arguments"].items() >= {"party_size": 4, "time": "19:00"}.items() and "date" in call["arguments"]
    assert "abort_intent" in forgotten


def test_the_light_control_runs_functions_and_asks_for_the_room() -> None:
    lines = ran("light_control.py", "Turn on the kitchen light!", "dim the bedroom to 30 percent", "lights off")
    assert lines == [
        "light.kitchen: on",
        "light.bedroom: on, brightness 30 %",
        "turn off: area? (the room whose light it is)",
    ]


def test_the_train_planner_writes_deep_links() -> None:
    lines = ran("train_planner.py", "I have to be in Rotterdam at 3 pm", "open settings", "add Hoorn to my favourites")
    assert lines[0].startswith("cityapp://trip?destination=Rotterdam%20Centraal&arrive_at=15%3A00 plan a train trip: origin?")
    assert [line.strip() for line in lines[1:]] == ["cityapp://screen/settings", "cityapp://favourites/add?station=Hoorn"]


def test_the_notebook_mends_a_mistake() -> None:
    lines = ran("notebook.py")
    assert lines[lines.index("7 True") :][:2] == ["7 True", "8 False"]
    assert 'after: {"name":"set_volume","arguments":{"level":9}} decided by exemplar' in lines
    assert any(line.startswith("root ::= ") for line in lines)
    assert (EXAMPLES / "notebook.py").read_text(encoding="utf-8").count("# %%") >= 6


@pytest.fixture(scope="module")
def web_app() -> Iterator[str]:
    """The address of the FastAPI app under uvicorn, as its own docstring starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "--app-dir", EXAMPLES, "web_app:app", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}/understand"
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail("the app did not start", pytrace=False)


def posted(url: str, body: object) -> tuple[int, object]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


def test_the_web_app_answers_over_http(web_app: str) -> None:
    status, answer = posted(web_app, {"text": "set a timer for ten minutes", "now": "2023-07-11T09:00:00"})
    assert status == 200 and isinstance(answer, dict)
    assert (answer["function"], answer["arguments"]["duration"]) == ("set_timer", "PT10M")
    assert 0 <= answer["confidence"] <= 1 and answer["sure"] is (answer["confidence"] >= 0.5)


def test_the_web_app_refuses_what_is_no_text(web_app: str) -> None:
    status, answer = posted(web_app, {"text": "a\0b"})
    assert status == 422 and isinstance(answer, dict) and "NUL" in str(answer["detail"])
