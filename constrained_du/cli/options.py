"""Options that several commands have, and the reading of their values.

Texts of the command line in, arguments of ``Converter`` out. A text that cannot be read is
wrong usage; whether a value fits the domain is for the converter to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

from constrained_du.converter import Converter
from constrained_du.loading import AUTO

Command = TypeVar("Command", bound=Callable[..., Any])
Entities: TypeAlias = dict[str, list[tuple[Any, ...]]]

_ENTITY = re.compile(r"(?P<key>[^=]+)=(?:(?P<start>\d+):(?P<end>\d+)(?::=(?P<json>.*)|=(?P<text>.*))?)?", re.DOTALL)


def directory_argument(command: Command) -> Command:
    return click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))(command)


def running_options(command: Command) -> Command:
    """How an artifact is run: where its files are, on what."""
    for option in (
        click.option("--gpu-layers", type=int, default=0, metavar="N", help="Layers on the GPU; -1: all."),
        click.option("--threads", type=int, metavar="N", help="Threads; default: the cores, at most 4."),
        click.option("--caution", type=float, metavar="RATE", help="Rate of wrong calls to tolerate, 0 to 1."),
        click.option("--embedder", metavar="NAME|FILE|none", help="Where the embedder is now."),
        click.option("--model", metavar="NAME|FILE", help="Where the model is now, if it moved."),
    ):
        command = option(command)
    return command


def request_options(command: Command) -> Command:
    """What a grammar depends on beside the utterance."""
    for option in (
        click.option("--functions", metavar="A,B", callback=_labels, help="Only these functions."),
        click.option("--max-calls", type=int, default=1, metavar="N", help="Calls that one utterance may yield."),
        click.option("--now", metavar="ISO", callback=moment, help="Reference for relative dates."),
        click.option(
            "--entity", "entities", multiple=True, metavar="KEY=START:END[=VALUE]", callback=_entities,
            help="A candidate: a slot type, a slot or function.slot; a span in code points, end exclusive; the "
            "canonical value (:=VALUE for JSON). KEY= alone: there is none.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def load(
    directory: Path,
    model: str | None,
    embedder: str | None,
    caution: float | None,
    threads: int | None,
    gpu_layers: int,
) -> Converter:
    return Converter.load_from_disk(
        directory, model=model, embedder=named_embedder(embedder), caution=caution, threads=threads,
        gpu_layers=gpu_layers,
    )  # fmt: skip


def named_embedder(name: str | None) -> str | None:
    """``none`` turns it off; not said at all leaves the choice to the package."""
    return AUTO if name is None else None if name.lower() == "none" else name


def expectations(context: click.Context, option: click.Parameter, values: Sequence[str]) -> list[tuple[str, str]]:
    """``slot@function`` as (slot, function); a slot's name may hold an ``@``, a function's may not."""
    pairs = [value.rpartition("@") for value in values]
    for value, (slot, _, function) in zip(values, pairs, strict=True):
        if not slot or not function:
            raise click.BadParameter(f"{value!r} is not SLOT@FUNCTION", context, option)
    return [(slot, function) for slot, _, function in pairs]


def _entities(context: click.Context, option: click.Parameter, values: Sequence[str]) -> Entities | None:
    found: Entities = {}
    for value in values:
        match = _ENTITY.fullmatch(value)
        if match is None:
            raise click.BadParameter(f"{value!r} is not KEY=START:END or KEY=START:END=VALUE", context, option)
        spans = found.setdefault(match["key"], [])
        if match["start"] is not None:
            spans.append((int(match["start"]), int(match["end"]), *_value(match, context, option)))
    return found or None


def _value(match: re.Match[str], context: click.Context, option: click.Parameter) -> tuple[Any, ...]:
    if match["json"] is not None:
        try:
            return (json.loads(match["json"]),)
        except ValueError:
            raise click.BadParameter(f"{match['json']!r} after := is not JSON", context, option) from None
    return () if match["text"] is None else (match["text"],)


def moment(context: click.Context, option: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(re.sub(r"[zZ]\Z", "+00:00", value))  # Python 3.10 knows no Z
    except ValueError:
        raise click.BadParameter(f"{value!r} is no ISO date and time, like 2023-07-11T09:00", context, option) from None


def _labels(context: click.Context, option: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [label.strip() for label in value.split(",") if label.strip()]
