"""What strangers send: each is answered with an error of OpenAI's shape, and nobody else notices."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from served import PATIENCE, ROOT, Reply, Served, command, served

pytestmark = pytest.mark.model
CHAT = "/v1/chat/completions"
HALF = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
"""A request whose body never comes."""


@pytest.fixture(scope="module")
def server(artifact_of: Callable[[str], Path]) -> Iterator[Served]:
    with served(artifact_of("city_app_en")) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(artifact_of: Callable[[str], Path]) -> Iterator[Served]:
    """Asks for a key, and lets nobody wait."""
    with served(artifact_of("city_app_en"), "--waiting", "0", environment={"CONSTRAINED_DU_API_KEY": "s3cret"}) as own:
        yield own


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "city_app_en", "messages": [{"role": "user", "content": text}], **more}


def is_error(reply: Reply, status: int) -> bool:
    """OpenAI's shape, one line, and neither a traceback nor a path of the disk."""
    error = reply.json["error"]
    shown = "Traceback" not in reply.text and str(ROOT) not in reply.text and "/tmp" not in reply.text
    return reply.status == status and set(error) == {"message", "type", "param", "code"} and shown


MALFORMED: list[tuple[str, int, bytes]] = [
    ("nothing", 400, b""),
    ("no JSON", 400, b"hello"),
    ("half of it", 400, b'{"model": "city_app_en", "messages": ['),
    ("no UTF-8", 400, b'{"model": "\xff\xfe"}'),
    ("a number that is none", 400, b'{"model": "city_app_en", "messages": [], "n": NaN}'),
    ("a number of ten thousand digits", 400, b'{"n": ' + b"9" * 10_000 + b"}"),
    ("a hundred thousand brackets", 400, b"[" * 100_000),
    ("a list", 400, b"[]"),
    ("a text for a list", 400, b'{"model": "city_app_en", "messages": "hi"}'),
    ("NUL in the utterance", 400, json.dumps(said("a\0b")).encode()),
    ("half a surrogate pair", 400, b'{"model":"city_app_en","messages":[{"role":"user","content":"\\ud800"}]}'),
    ("half a surrogate pair for a name", 404, b'{"model":"\\ud800","messages":[{"role":"user","content":"x"}]}'),
    ("two megabytes", 413, b" " * 2_000_000),
    ("a tool called do_not_understand", 400, json.dumps(said("hi", tools=[
        {"type": "function", "function": {"name": "do_not_understand"}}])).encode()),
    ("a path for a tool", 400, json.dumps(said("hi", tools=["/etc/passwd.json"])).encode()),
    ("a path for recognizers", 400, json.dumps(said("hi", recognizers="/etc/passwd.json")).encode()),
    ("a path for exemplars", 400, json.dumps(said("hi", exemplars="/etc/passwd.json")).encode()),
    ("a pattern that would never end", 400, json.dumps(said("hi", tools=[{"type": "function", "function": {
        "name": "f", "parameters": {"type": "object", "properties": {
            "a": {"type": "string", "pattern": "(?=a)b"}}}}}])).encode()),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), [row[1:] for row in MALFORMED], ids=[row[0] for row in MALFORMED])
def test_a_malformed_body_is_told_what_is_wrong(server: Served, status: int, body: bytes) -> None:
    reply = server("POST", CHAT, body)
    assert is_error(reply, status), reply


LOST: list[tuple[str, str, str, int]] = [
    ("no such path", "GET", "/v2/nothing", 404),
    ("no such method", "GET", CHAT, 405),
    ("a path upwards", "GET", "/static/../options.py", 404),
    ("an encoded path upwards", "GET", "/static/%2e%2e/options.py", 404),
    ("a bot that is a path", "GET", "/v1/load/..", 404),
    ("a bot that is an encoded path", "GET", "/v1/load/%2e%2e%2fsecret", 404),
    ("a model that is not there", "GET", "/v1/models/gpt-9", 404),
    ("a domain that is not there", "GET", "/playground/domains/nothing", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), [row[1:] for row in LOST], ids=[row[0] for row in LOST])
def test_a_lost_request_gets_an_error_and_no_file(server: Served, method: str, path: str, status: int) -> None:
    assert is_error(server(method, path), status)


def test_a_compiled_set_that_was_put_away_is_told_from_a_bad_request(server: Served) -> None:
    reply = server("POST", "/playground/convert", {"domain": "0" * 64, "utterance": "hi"})
    assert is_error(reply, 404) and reply.json["error"]["code"] == "domain_gone"


def test_an_empty_set_of_fields_names_the_first_that_is_missing(server: Served) -> None:
    error = server("POST", CHAT, {}).json["error"]
    assert (error["param"], error["code"]) == ("model", "missing_field")


def test_every_answer_forbids_foreign_scripts_and_frames(server: Served) -> None:
    for path in ("/", "/static/playground.js", "/healthz", "/nothing"):
        headers = server("GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "'unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


FOREIGN: list[tuple[str, dict[str, str], int]] = [
    ("another name for this machine", {"Host": "evil.example"}, 403),
    ("another name with our port", {"Host": "evil.example:8080"}, 403),
    ("a page of another origin", {"Origin": "https://evil.example"}, 403),
    ("a page without an origin", {"Origin": "null"}, 403),
    ("localhost by name", {"Host": "localhost"}, 200),
]


@pytest.mark.parametrize(("headers", "status"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN])
def test_foreign_pages_do_not_get_in(server: Served, headers: dict[str, str], status: int) -> None:
    assert server("GET", "/v1/models", headers=headers).status == status


KEYS: list[tuple[str, str, dict[str, str], int]] = [
    ("no key", "/v1/models", {}, 401),
    ("a wrong key", "/v1/models", {"Authorization": "Bearer guess"}, 401),
    ("a key that is no ASCII", "/v1/models", {"Authorization": "Bearer s3cr\xe9t"}, 401),
    ("another scheme", "/v1/models", {"Authorization": "Basic s3cret"}, 401),
    ("the key", "/v1/models", {"Authorization": "Bearer s3cret"}, 200),
    ("the page needs none", "/", {}, 200),
    ("the heartbeat needs none", "/healthz", {}, 200),
    ("what the page asks for needs it", "/playground/domains", {}, 401),
    ("the bots need it", "/v1/load/city_app_en", {}, 401),
    ("with a key any host name will do", "/v1/models", {"Authorization": "Bearer s3cret", "Host": "du.example"}, 200),
]


@pytest.mark.parametrize(("path", "headers", "status"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_a_key_is_asked_for_where_there_is_one(
    guarded: Served, path: str, headers: dict[str, str], status: int
) -> None:
    assert guarded("GET", path, headers=headers).status == status


def test_too_many_at_once_are_told_to_come_back(guarded: Served) -> None:
    key = {"Authorization": "Bearer s3cret"}
    guarded("POST", CHAT, said("open the settings"), key)  # loaded by now
    with ThreadPoolExecutor(12) as pool:
        work = [pool.submit(guarded, "POST", CHAT, said(f"plan a trip to Gouda {n}", n=8), key) for n in range(12)]
        replies = [one.result() for one in work]
    statuses = [reply.status for reply in replies]
    assert set(statuses) == {200, 429}
    late = next(reply for reply in replies if reply.status == 429)
    assert is_error(late, 429) and late.headers["retry-after"] == "1"
    assert late.json["error"]["type"] == "rate_limit_error"


def test_slow_and_broken_clients_hold_nobody_up(server: Served) -> None:
    host, port = urlsplit(server.url).netloc.split(":")
    stuck = []
    for sent in (b"", b"POST /v1/chat", HALF):
        for _ in range(20):
            one = socket.create_connection((host, int(port)))
            one.sendall(sent)
            stuck.append(one)
    gone = socket.create_connection((host, int(port)))
    gone.sendall(HALF)
    gone.close()
    started = time.monotonic()
    assert server("GET", "/healthz").json["status"] == "ok"
    assert time.monotonic() - started < 5
    assert server("POST", CHAT, said("open the settings")).status == 200
    for one in stuck:
        one.close()


def test_the_page_can_be_left_out(artifact_of: Callable[[str], Path]) -> None:
    with served(artifact_of("city_app_en"), "--no-playground") as running:
        assert is_error(running("GET", "/"), 404) and running("GET", "/healthz").status == 200


def test_told_to_stop_it_answers_what_is_under_way(artifact_of: Callable[[str], Path]) -> None:
    with served(artifact_of("city_app_en")) as running, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(running, "POST", CHAT, said("plan a trip from Gouda to Delft tomorrow at nine", n=16))
        time.sleep(0.2)
        running.process.terminate()
        assert slow.result().status == 200
        assert running.process.wait(PATIENCE) == 0


def refused(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A server that is not to start."""
    return subprocess.run(command(folder, *options), capture_output=True, text=True, cwd=ROOT, check=False)


OPTIONS: list[tuple[str, list[str], str]] = [
    ("strangers without a key", ["--host", "0.0.0.0"], "--api-key"),
    ("strangers by name without a key", ["--host", "example.org"], "--api-key"),
    ("a blank key", ["--api-key", " "], "API key"),
    ("a port that is none", ["--port", "99999"], "99999"),
]


@pytest.mark.parametrize(("options", "told"), [row[1:] for row in OPTIONS], ids=[row[0] for row in OPTIONS])
def test_wrong_options_are_one_line_and_exit_two(
    artifact_of: Callable[[str], Path], options: list[str], told: str
) -> None:
    ran = refused(artifact_of("city_app_en"), *options)
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and told in ran.stderr, ran.stderr


def test_a_port_that_is_taken_and_a_folder_without_domains_are_told(
    server: Served, artifact_of: Callable[[str], Path], tmp_path: Path
) -> None:
    taken = urlsplit(server.url).port
    ran = refused(artifact_of("city_app_en"), "--port", str(taken))
    assert ran.returncode == 2 and "another port" in ran.stderr
    ran = refused(tmp_path)
    assert ran.returncode == 2 and "schemas.json" in ran.stderr
