"""A real server for tests: a process of its own, on a free port of loopback, until the block ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 120  # seconds; a busy neighbour is no failure


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Served:
    url: str
    process: subprocess.Popen[str]

    def __call__(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """One request, byte for byte as given; what is no bytes is sent as JSON."""
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE)
        try:
            connection.request(method, path, sent, dict(headers or {}))
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode())
        finally:
            connection.close()


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "constrained_du", "serve", *map(str, arguments)]


@contextmanager
def served(folder: Path, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[Served]:
    """Runs ``constrained-du serve`` on a folder; it must end in peace when it is told to."""
    process = subprocess.Popen(
        command(folder, "--port", "0", *options), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd=ROOT, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if "http://" not in line:
            pytest.fail(f"the server did not start: {line!r}", pytrace=False)
        yield Served(line.split()[1].rstrip("/"), process)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
