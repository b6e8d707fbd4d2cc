"""``chat``: talks with an artifact in the terminal, turn by turn, with a session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from constrained_du.cli.answers import written
from constrained_du.cli.converting import LINE_ERRORS
from constrained_du.cli.options import directory_argument, load, moment, running_options
from constrained_du.cli.terminal import one_line, say
from constrained_du.domain.conversation import kind_of
from constrained_du.errors import InputError
from constrained_du.session import Session, Turn
from constrained_du.types import compact_json


@click.command()
@directory_argument
@click.option("--now", metavar="ISO", callback=moment, help="Reference for relative dates; default: this clock.")
@click.option("--session", "file", type=click.Path(path_type=Path), metavar="FILE", help="Go on from FILE, and keep it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a turn.")
@running_options
def chat(directory: Path, now: datetime | None, file: Path | None, as_json: bool, **running: Any) -> int:
    """Talk with the artifact in DIR: a line is an utterance.

    It asks for what is missing and prints a call when it is complete. Ends with the input,
    or with a goodbye where close_session is among the functions.
    """
    converter = load(directory, **running)
    session = _restored(converter, file)
    wrong = 0
    for utterance in _lines():
        try:
            turn = session.say(utterance, now=now or datetime.now().astimezone().replace(microsecond=0))
        except LINE_ERRORS as problem:
            wrong += 1
            say(one_line(str(problem)))
            continue
        click.echo(_as_json(turn) if as_json else _as_text(turn))
        if file is not None:
            _keep(session, file)
        if kind_of(converter.domain, turn.call.name) == "close_session":
            break
    return 2 if wrong else 0


def _restored(converter: Any, file: Path | None) -> Session:
    if file is None or not file.exists():
        return Session(converter)
    try:
        session = Session.from_json(converter, file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as problem:
        raise InputError(f"{file} cannot be read ({problem}) - name another file with --session") from None
    if session.question is not None:
        click.echo(f"? {session.question}")
    return session


def _keep(session: Session, file: Path) -> None:
    """Whole or not at all, whatever happens meanwhile."""
    beside = file.with_name(f"{file.name}.new")
    try:
        beside.write_text(session.to_json() + "\n", encoding="utf-8")
        os.replace(beside, file)
    except OSError as problem:
        raise InputError(f"{file} cannot be written ({problem}) - name another file with --session") from None


def _lines() -> Iterator[str]:
    """Lines of a person, who gets a prompt, or of a pipe; bytes that are no UTF-8 stay visible as such."""
    prompt = "> " if sys.stdin.isatty() else ""
    while True:
        if prompt:
            click.echo(prompt, nl=False)
        raw = sys.stdin.buffer.readline()
        if not raw:
            if prompt:
                click.echo()
            return
        text = raw.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")
        if text.strip():
            yield text


def _as_text(turn: Turn) -> str:
    """The call if something can be done with it, and the question that is open."""
    lines = []
    if turn.complete:
        lines.append(f"! {written(turn.call)}")
    elif not turn.result.understood:
        lines.append("- not understood")
    else:
        lines.append(f"  {written(turn.call)}")
    return "\n".join([*lines, *([f"? {turn.question}"] if turn.question else [])])


def _as_json(turn: Turn) -> str:
    call = {"name": turn.call.name, "arguments": dict(turn.call.arguments)}
    if turn.call.operators:
        call["operators"] = {slot: [list(pair) for pair in pairs] for slot, pairs in turn.call.operators.items()}
    return compact_json({
        "call": call, "complete": turn.complete, "missing": list(turn.missing), "question": turn.question,
        "confidence": turn.result.confidence,
    })  # fmt: skip
