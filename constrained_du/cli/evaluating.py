"""``eval``: the figures of an artifact on labelled lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from constrained_du.cli.options import directory_argument, load, running_options
from constrained_du.cli.terminal import Failure, say
from constrained_du.converter import Converter
from constrained_du.errors import InputError
from constrained_du.evaluation import Report, read_lines, suggest, unsuggested
from constrained_du.evaluation import evaluate as ask
from constrained_du.evaluation.table import progress_bar
from constrained_du.types import JsonValue


@click.command("eval")
@directory_argument
@click.argument("lines", metavar="DATA.jsonl", type=click.Path(path_type=Path))
@click.option("--json", "out", metavar="FILE", type=click.Path(path_type=Path), help="Write everything as JSON.")
@click.option("--plots", metavar="DIR", type=click.Path(path_type=Path), help="Draw pictures (needs matplotlib).")
@click.option("--suggest", "suggesting", is_flag=True, help="Print the exemplars that would mend the mistakes.")
@click.option("--fail-under", metavar="NAME=X,…", help="Exit 1 if a figure is worse, e.g. exact=0.8.")
@click.option("--max-calls", type=int, metavar="N", help="Default: 1, or 8 where several calls are expected.")
@running_options
def evaluate(
    directory: Path,
    lines: Path,
    out: Path | None,
    plots: Path | None,
    suggesting: bool,
    fail_under: str | None,
    max_calls: int | None,
    **running: Any,
) -> None:
    """Score the artifact in DIR on labelled lines (see the README for their format)."""
    data = read_lines(lines)
    if fail_under:
        Report(()).fail_under(fail_under)  # a misspelt name should not wait for the run
    converter = load(directory, **running)
    with progress_bar() as progress:
        report = ask(
            converter, data, progress, max_calls=max_calls, make_converter=_maker(converter),
            operators=converter.settings.operators,
        )  # fmt: skip
    console = Console()
    console.print(report.table())
    if out is not None:
        _write(out, report.to_text())
    if plots is not None:
        from constrained_du.evaluation.plots import draw

        for picture in draw(report, plots):
            click.echo(picture)
    if suggesting:
        _suggest(report)
    if fail_under and (failures := report.fail_under(fail_under)):
        raise Failure("; ".join(failures))


def _maker(converter: Converter) -> Callable[[Sequence[JsonValue]], Converter]:
    """For lines with functions of their own: a converter that is like the artifact's."""
    settings = converter.settings

    def make(specs: Sequence[JsonValue]) -> Converter:
        made = Converter(
            settings.model, embedder=settings.embedder, strings=settings.strings, operators=settings.operators,
            caution=settings.caution, decoder=settings.decoder, threads=settings.threads,
            gpu_layers=settings.gpu_layers, context=settings.context,
        )  # fmt: skip
        return made.add_function_specs(list(specs)).finalize()

    return make


def _suggest(report: Report) -> None:
    click.echo(json.dumps(suggest(report), ensure_ascii=False, indent=1))
    for outcome, reason in unsuggested(report):
        say(f"no exemplar for {outcome.line.utterance!r}: {reason}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror} - name another file") from None
