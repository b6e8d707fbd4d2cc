"""``serve``: hands over to the server, which is a part of its own."""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from constrained_du.cli.options import directory_argument


@click.command()
@directory_argument
def serve(directory: Path) -> None:
    """Answer over HTTP with the artifact in DIR (needs the `server` extra)."""
    try:
        server = importlib.import_module("constrained_du.server")
    except ImportError as problem:
        raise click.ClickException(
            f"the server comes with the `server` extra, which is not installed here ({problem.name or problem}) - "
            "pip install 'constrained_du[server]'"
        ) from None
    server.serve(directory)
