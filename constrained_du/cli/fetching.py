"""``models``: which models there are, fetching and checking them."""

from __future__ import annotations

import click

from constrained_du.cli.terminal import Failure, progress, say
from constrained_du.errors import ModelError
from constrained_du.models import models as store


@click.group()
def models() -> None:
    """List, fetch and check models."""


@models.command("list")
def list_models() -> None:
    """The models that can be had by name, and which are here."""
    rows = [("NAME", "KIND", "LANGUAGES", "SIZE", "HERE", "LICENCE")]
    for model in store.registry().values():
        record = store.pulled(model.name)
        here = "-" if record is None else record.quantisation
        size = (record or model).size
        languages = ",".join(model.languages[:4]) + (",…" if len(model.languages) > 4 else "")
        rows.append((model.name, model.kind, languages, f"{size / 1e6:.0f} MB", here, model.licence))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@models.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--auto", is_flag=True, help="Try which quantisation and how many threads are quickest on this machine.")
@click.option("--plain", is_flag=True, help="As the source is: its quantisation, and no adapter.")
@click.option("--fresh", is_flag=True, help="Fetch again even if it is here.")
def pull(names: tuple[str, ...], auto: bool, plain: bool, fresh: bool) -> None:
    """Fetch models, check them, requantise them for this CPU, keep them. Asks nothing."""
    if auto and plain:
        raise click.UsageError("--auto and --plain exclude each other", click.get_current_context())
    for name in names:
        store.entry(name)  # a misspelt one is said before anything is fetched
    for name in names:
        choose, count = (store.fastest(), store.quickest_threads()) if auto else (None, None)
        try:
            with progress("bytes") as report:
                path = store.pull(name, report, plain=plain, choose=choose, count=count, fresh=fresh, say=say)
        except ModelError as problem:  # the name is known, so it is the network, the disk or the source
            raise Failure(str(problem)) from problem
        click.echo(path)


@models.command()
@click.argument("name")
def path(name: str) -> None:
    """Print where a model that was pulled lies."""
    click.echo(store.locate(store.entry(name).name))


@models.command()
@click.argument("name")
def verify(name: str) -> None:
    """Read a model's file again and compare its digest."""
    store.entry(name)
    try:
        store.verify(name)
    except ModelError as problem:
        raise Failure(str(problem)) from problem
    click.echo(f"{name}: whole")
