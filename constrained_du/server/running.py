"""Runs the application under uvicorn until it is told to stop, and then lets requests end."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn

from constrained_du.errors import InputError
from constrained_du.server.application import application
from constrained_du.server.catalogue import Catalogue
from constrained_du.server.options import Options

BACKLOG = 2048  # uvicorn's own


def run(folder: Path, options: Options, converter: Mapping[str, Any] | None = None) -> None:
    """Serves a folder (see ``catalogue``) until SIGTERM or SIGINT; requests under way are answered.

    ``converter`` are options of ``Converter.load_from_disk``. The first domain is loaded
    before the port is opened, so that a server that listens can answer. Raises InputError for
    options that are none and for a port that is taken, else what loading raises.
    """
    options.checked()
    catalogue = Catalogue(folder, converter)
    catalogue.get(catalogue.names[0])
    bound = _bound(options)
    config = uvicorn.Config(
        application(catalogue, options),
        log_level="info",
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=options.limits.draining,
        h11_max_incomplete_event_size=64 * 1024,
    )
    # uvicorn raises the signal that stopped it once more, for whoever handled it before: nobody, here.
    handled = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with contextlib.closing(bound):
            print(f"constrained-du: http://{_shown(bound)}/ serves {', '.join(catalogue.names)}", flush=True)
            uvicorn.Server(config).run(sockets=[bound])
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)


def _bound(options: Options) -> socket.socket:
    """The socket, so that port 0 (any free one) can be told; uvicorn listens on it."""
    host = options.host.strip("[]")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, options.port, type=socket.SOCK_STREAM)[0]
        with contextlib.ExitStack() as undo:
            bound = undo.enter_context(socket.socket(family, kind))
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(BACKLOG)  # from here on a client is queued, not refused
            undo.pop_all()
            return bound
    except OSError as problem:
        told = problem.strerror or problem
        raise InputError(f"{host}:{options.port} cannot be listened on ({told}) - choose another port") from None


def _shown(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
