"""``compile`` and ``emit``: specs to an artifact, an artifact to grammars in other notations."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from constrained_du.cli.options import directory_argument, load, named_embedder, request_options, running_options
from constrained_du.cli.terminal import one_line, progress, say
from constrained_du.converter import DEFAULT_MODEL, Converter
from constrained_du.errors import ArtifactError, SpecError
from constrained_du.grammar import emit as notations
from constrained_du.grammar.grammar import Grammar
from constrained_du.specs.spec import SpecWarning, read_specs

NOTATIONS: Mapping[str, Callable[[Grammar], str]] = {
    "gbnf": notations.to_gbnf,
    "regex": notations.to_regex,
    "lark": notations.to_lark,
}
ANY_UTTERANCE = "…"
"""Stands for what the user says where no utterance is given: a letter that no value holds."""


@click.command("compile")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True)
@click.option("--exemplars", multiple=True, metavar="FILE", help="Exemplars, OpenCUI's or opendu's format.")
@click.option("--recognizers", multiple=True, metavar="FILE", help="Value lists and patterns.")
@click.option("--model", default=DEFAULT_MODEL, show_default=True, metavar="NAME|FILE|URL", help="Name, GGUF file or address.")
@click.option("--embedder", metavar="NAME|FILE|none", help="Default: all-minilm-l6-v2 if it was pulled.")
@click.option("--strings", type=click.Choice(["verbatim", "free"]), default="verbatim", show_default=True)
@click.option("--operators", is_flag=True, help="Negated and compared slots go into `operators`.")
@click.option("--decoder", type=click.Choice(["exact", "greedy"]), default="exact", show_default=True)
@click.option("--context", type=int, default=2048, show_default=True, metavar="TOKENS")
@click.option("--keep-going", is_flag=True, help="Leave functions out whose spec is wrong, with a warning each.")
@click.option("--overwrite", is_flag=True, help="Replace an artifact that is in DIR.")
@click.option("--no-state", is_flag=True, help="A small artifact without prefix states; answers are slower.")
@click.option("-o", "--output", metavar="DIR", required=True, type=click.Path(path_type=Path))
def compile_domain(
    specs: tuple[str, ...],
    exemplars: tuple[str, ...],
    recognizers: tuple[str, ...],
    keep_going: bool,
    overwrite: bool,
    no_state: bool,
    output: Path,
    embedder: str | None,
    **options: Any,
) -> None:
    """Compile function SPECs (.json, .yaml; OpenAI, OpenCUI, OpenAPI) into an artifact.

    With --keep-going the exemplars of a function that was left out are an error still.
    """
    started = time.perf_counter()
    if output.exists() and not overwrite:
        raise ArtifactError(f"{output} exists - choose another directory or add --overwrite")
    converter = Converter(embedder=named_embedder(embedder), **options)
    for spec in specs:
        _add(converter, spec, keep_going)
    for file in exemplars:
        converter.add_exemplars(file)
    for file in recognizers:
        converter.add_recognizers(file)
    with progress() as report:
        converter.finalize(output, overwrite=overwrite, state=not no_state, progress=report)
    size = sum(file.stat().st_size for file in output.iterdir())
    click.echo(
        f"{output}: {len(converter.labels)} functions, {size / 1e6:.1f} MB, {time.perf_counter() - started:.1f} s"
    )


def _add(converter: Converter, spec: str, keep_going: bool) -> None:
    if not keep_going:
        converter.add_function_specs(spec)
        return
    problems: list[SpecError] = []
    found = read_specs(spec, converter.labels, problems=problems)
    for problem in problems:
        say(f"warning: left out: {one_line(str(problem))}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)  # they were just said
        if found:
            converter.add_function_specs([dict(function.native) for function in found])


@click.command()
@directory_argument
@click.option("--gbnf", "notation", flag_value="gbnf", help="For llama.cpp.")
@click.option("--regex", "notation", flag_value="regex", help="For Outlines and others.")
@click.option("--lark", "notation", flag_value="lark", help="For llguidance.")
@click.option("--utterance", default=ANY_UTTERANCE, metavar="TEXT", help="Whose answers the grammar describes.")
@request_options
@running_options
def emit(directory: Path, notation: str | None, utterance: str, **rest: Any) -> None:
    """Print the grammar of all answers to an utterance, in the notation of another tool.

    What a slot can hold depends on the utterance; without one the values that come from
    it are those of “…”.
    """
    if notation is None:
        raise click.UsageError("give --gbnf, --regex or --lark", click.get_current_context())
    running = {name: rest.pop(name) for name in ("model", "embedder", "caution", "threads", "gpu_layers")}
    grammar = load(directory, **running).grammar(utterance, **rest)
    text = NOTATIONS[notation](grammar)
    click.echo(text, nl=not text.endswith("\n"))
