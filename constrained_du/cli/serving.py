"""``serve``: hands over to the server, which is a part of its own with packages of its own."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from constrained_du.cli.options import directory_argument, named_embedder, running_options


@click.command()
@directory_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Beyond this machine only with --api-key.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0: any free one.")
@click.option(
    "--api-key", "api_keys", multiple=True, envvar="CONSTRAINED_DU_API_KEY", metavar="KEY",
    help="A key to ask for; or CONSTRAINED_DU_API_KEY, which other users of the machine cannot see.",
)  # fmt: skip
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another model name to answer to; “*”: any.")
@click.option("--playground/--no-playground", default=True, show_default=True, help="The page at /.")
@click.option("--waiting", type=click.IntRange(0), default=32, show_default=True, help="Queue; beyond it 429.")
@click.option("--max-functions", type=click.IntRange(1), default=64, show_default=True, help="Of one request.")
@running_options
def serve(
    directory: Path,
    host: str,
    port: int,
    api_keys: tuple[str, ...],
    aliases: tuple[str, ...],
    playground: bool,
    waiting: int,
    max_functions: int,
    **running: Any,
) -> None:
    """Answer over HTTP: OpenAI's API, OpenCUI's protocol, and a page to play on.

    DIR is an artifact, a bot folder (schemas.json, exemplars.json, recognizers.json), or
    holds several of these. Needs the `server` extra.
    """
    try:
        server = importlib.import_module("constrained_du.server")
    except ImportError as problem:
        raise click.ClickException(
            f"the server comes with the `server` extra, which is not installed here ({problem.name or problem}) - "
            "pip install 'constrained_du[server]'"
        ) from None
    if running["embedder"] is not None:
        running["embedder"] = named_embedder(running["embedder"])
    limits = server.Limits(waiting=waiting, functions=max_functions)
    server.run(directory, server.Options(host, port, api_keys, aliases, playground, limits), running)
