"""``convert``: one utterance, or a line of stdin each, to calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from constrained_du.cli.answers import brief, explanation_json, link_templates, picture, to_json
from constrained_du.cli.options import directory_argument, expectations, load, request_options, running_options
from constrained_du.cli.terminal import one_line, say
from constrained_du.errors import CandidateError, ContextOverflowError, InputError
from constrained_du.types import Result, compact_json

LINE_ERRORS = (InputError, CandidateError, ContextOverflowError)
"""What one line of stdin can be guilty of; anything else concerns them all."""


@click.command()
@directory_argument
@click.argument("utterance")
@request_options
@click.option("--expect", multiple=True, metavar="SLOT@FUNCTION", callback=expectations, help="What was just asked.")
@click.option("--history", multiple=True, metavar="TEXT", help="An earlier utterance; oldest first.")
@click.option("--tool-choice", default="auto", metavar="CHOICE", help="auto, required, none, or a label.")
@click.option("--n-best", type=int, default=1, metavar="N", help="Answers to give, best first.")
@click.option("--json", "form", flag_value="json", help="One JSON object a line.")
@click.option("--openai", "form", flag_value="openai", help="OpenAI's chat message, one a line.")
@click.option("--explain", is_flag=True, help="What was allowed, what each rival scored, and what decided.")
@click.option("--link", "links", is_flag=True, help="Print the deep links of the calls (x-link of the specs).")
@running_options
def convert(directory: Path, utterance: str, form: str | None, explain: bool, links: bool, **rest: Any) -> int:
    """Turn an UTTERANCE into calls with the artifact in DIR.

    “-” reads utterances from stdin and gives one answer a line.
    """
    if form == "openai" and (explain or links):
        raise click.UsageError("--openai goes with neither --explain nor --link", click.get_current_context())
    running = {name: rest.pop(name) for name in ("model", "embedder", "caution", "threads", "gpu_layers")}
    arguments = {**rest, "expectations": rest.pop("expect"), "history": list(rest["history"])}
    del arguments["expect"]
    converter = load(directory, **running)
    templates = link_templates(converter) if links else None
    if utterance != "-":
        result = converter.convert(utterance, **arguments)
        for line in _lines(utterance, result, form, explain, templates):
            click.echo(line)
        return 0
    wrong = 0
    for number, text in enumerate(_stdin(), 1):
        try:
            result = converter.convert(text, **arguments)
        except LINE_ERRORS as problem:
            wrong += 1
            say(f"line {number}: {one_line(str(problem))}")
            error = {"error": {"type": type(problem).__name__, "message": str(problem)}}
            click.echo(compact_json(error) if form else f"error: {type(problem).__name__}")
            continue
        click.echo(_line(result, form, explain, templates))
    return 2 if wrong else 0


def _stdin() -> Iterator[str]:
    """The lines of stdin as they come, without their ends; bytes that are no UTF-8 stay visible as such."""
    for raw in sys.stdin.buffer:
        yield raw.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def _lines(utterance: str, result: Result, form: str | None, explain: bool, templates: Any) -> Iterator[str]:
    if form:
        yield _line(result, form, explain, templates)
        return
    yield from picture(utterance, result, templates)
    for other in result.alternatives[1:]:
        yield f"    or: {brief(Result(other.calls, other.confidence))}  {other.confidence:.2f}"
    if explain:
        yield str(result.explain())


def _line(result: Result, form: str | None, explain: bool, templates: Any) -> str:
    if form == "openai":
        return compact_json(result.to_openai())
    if form == "json":
        answer = to_json(result, templates)
        return compact_json(answer | ({"explanation": explanation_json(result.explain())} if explain else {}))
    if templates is not None:
        found = (call.get("link") for call in to_json(result, templates)["calls"])
        return " ".join(text or "-" for text in found)
    return f"{result.confidence:.2f}  {brief(result)}" + (f"  [{one_line(str(result.explain()))}]" if explain else "")
