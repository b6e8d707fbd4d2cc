"""The fuzz target that is the server: requests put to the application, without a socket."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from fuzz_data import Data, written
from fuzz_world import SPECS, Broken, World

from constrained_du.server.application import application
from constrained_du.server.catalogue import Catalogue
from constrained_du.server.options import Options

_FOREVER = 3600.0


class Asker:
    """The application in this process, and one event loop to put requests to it."""

    def __init__(self, folder: Path) -> None:
        logging.getLogger("constrained_du.server").setLevel(logging.CRITICAL)
        self._app = application(Catalogue(folder), Options())
        self._loop = asyncio.new_event_loop()

    def __call__(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Status and body of one answer; raises what the application raises."""
        return self._loop.run_until_complete(self._ask(method, path, body, headers))

    def close(self) -> None:
        self._app.state.constrained_du.close()
        self._loop.close()

    async def _ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        sent: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not waiting:
                await asyncio.sleep(_FOREVER)  # the client neither says more nor goes away
            return waiting.pop()

        async def send(message: Any) -> None:
            sent.append(message)

        own = {"host": "localhost", "content-type": "application/json"} | headers
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode("utf-8", "replace"), "query_string": b"", "root_path": "",
            "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in own.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8080),
        }  # fmt: skip
        await self._app(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


_askers: WeakKeyDictionary[World, Asker] = WeakKeyDictionary()


CHAT: dict[str, Any] = {
    "model": "garden", "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "water the roses"}],
    "tools": [{"type": "function", "function": {"name": "open_gate", "description": "Open the gate"}}], "tool_choice": "auto",
    "entities": {}, "expectations": [], "now": "2023-07-11T09:00:00", "history": ["hello"], "max_calls": 2, "n": 2, "stream": False,
}  # fmt: skip
AFTER: dict[str, Any] = {"model": "garden", "messages": [
    {"role": "user", "content": "open it"},
    {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "open_gate", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"ok": true}'}]}  # fmt: skip
PREDICT: dict[str, Any] = {
    "mode": "SLOT", "utterance": "water the roses", "expectations": [{"frame": "water_plants", "slot": "bed"}],
    "slots": ["bed", {"label": "minutes"}], "candidates": {"bed": ["roses"]}, "questions": ["is it on?"], "dialogActs": [],
}  # fmt: skip
EDITED: dict[str, Any] = {"specs": SPECS[1:2], "exemplars": [], "recognizers": {}, "base": "garden"}
ASKED: dict[str, Any] = {
    "domain": "garden", "utterance": "open the gate", "entities": {}, "expectations": [["bed", "water_plants"]], "history": ["hi"],
    "now": "2023-07-11T09:00", "functions": ["open_gate"], "tool_choice": "auto", "max_calls": 2, "n_best": 3,
}  # fmt: skip
PATHS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "/v1/chat/completions", CHAT), ("POST", "/v1/chat/completions", AFTER), ("POST", "/v1/predict/garden", PREDICT),
    ("POST", "/playground/compile", EDITED), ("POST", "/playground/convert", ASKED),
    ("POST", "/playground/recognised", {"domain": "garden", "utterance": "at 7 on Friday", "now": "2023-07-11T09:00"}),
)  # fmt: skip


def http(world: World, data: Data) -> bool:
    if world not in _askers:
        _askers[world] = Asker(world.folder / "bots")
        world.stack.callback(_askers[world].close)
    asker = _askers[world]
    method, path, body = data.pick(PATHS)
    match data.below(6):
        case 4:
            content = data.rest()
        case 5:
            path = data.pick(("/", "/v1/models/", "/v1/index/", "/playground/domains/", "/static/", "/hello", "/v1/load/")) + data.text()
            method, content = data.pick(("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST")), b"{}"
        case _:
            content = written(data.changed({key: value for key, value in body.items() if data.below(8) != 7} or body))
    headers = {"host": data.pick(("localhost", "127.0.0.1:8080", "[::1]", "evil.example", data.text()))} if data.below(8) == 7 else {}
    if data.below(16) == 15:
        headers[data.pick(("origin", "content-length", "content-type", "authorization", "transfer-encoding"))] = data.text()
    status, answer = asker(method, path, content, headers)
    if status >= 500:
        raise Broken(f"{method} {path} gives {status}: {answer[:200]!r}")
    if status >= 400 and answer and not isinstance(json.loads(answer).get("error"), dict):
        raise Broken(f"{method} {path} gives {status} without an error: {answer[:200]!r}")
    return status < 400
