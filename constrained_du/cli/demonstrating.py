"""``demo``: compiles a bundled domain once and shows what becomes of real utterances."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from importlib.resources import files as package_files
from pathlib import Path

import click

from constrained_du import __version__
from constrained_du.cli.answers import picture
from constrained_du.cli.terminal import progress
from constrained_du.converter import DEFAULT_MODEL, Converter
from constrained_du.errors import ArtifactError
from constrained_du.loading import DEFAULT_EMBEDDER
from constrained_du.models import models
from constrained_du.storage.artifact import FORMAT
from constrained_du.types import JsonValue

DOMAIN = "restaurant_en"
SHOWN = (
    "01-plain", "03-plain", "06-missing", "10-plain", "17-reply", "30-entities", "32-exemplar", "35-out",
)  # fmt: skip
"""Scenarios of the domain that show one thing each: a missing slot, a canonical value, a
question to ask back, dates, an answer to a question, a value from the caller, an exemplar, a refusal."""
SAID_AT = datetime(2023, 7, 11, 9)
"""When the bundled utterances are taken to be said, so that “Friday” is the same day each time."""


@click.command()
@click.argument("utterance", required=False)
def demo(utterance: str | None) -> None:
    """Show what becomes of several utterances, or of yours, in a bundled domain."""
    domain = _domain()
    converter = _compiled(domain)
    if utterance is not None:
        _show(converter, {"utterance": utterance}, datetime.now().replace(microsecond=0))
        return
    click.echo(f"{DOMAIN}: {', '.join(converter.labels)}")
    click.echo(f"model: {DEFAULT_MODEL}; taken as said on {SAID_AT:%A, %d %B %Y, %H:%M}\n")
    for scenario in _scenarios(domain):
        _show(converter, scenario, SAID_AT)


def _show(converter: Converter, scenario: Mapping[str, JsonValue], now: datetime) -> None:
    text, entities, asked = scenario["utterance"], scenario.get("entities"), scenario.get("expectations")
    result = converter.convert(text, entities=entities, expectations=asked, now=now)
    if asked:
        click.echo(f"  (asked for {', '.join(f'{slot} of {function}' for slot, function in asked)})")
    if entities:
        told = (f"{key} “{text[start:end]}”" for key, spans in entities.items() for start, end, *_ in spans)
        click.echo(f"  (the app knows {', '.join(told)})")
    for line in picture(text, result):
        click.echo(line)
    click.echo()


def _domain() -> Path:
    """The bundled domain: inside the installed package, or beside it in a checkout."""
    inside = Path(str(package_files("constrained_du"))) / "grammars" / DOMAIN
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "grammars" / DOMAIN


def _scenarios(domain: Path) -> Iterator[Mapping[str, JsonValue]]:
    listed = json.loads((domain / "scenarios.json").read_text(encoding="utf-8"))
    by_id = {scenario["id"]: scenario for scenario in listed}
    return (by_id[f"{DOMAIN}-{name}"] for name in SHOWN)


def _compiled(domain: Path) -> Converter:
    """The artifact from the cache, made if its inputs are new; older ones are removed."""
    sources = [domain / f"{name}.json" for name in ("specs", "exemplars", "recognizers")]
    cache = models.home() / "demo"
    target = cache / _key(sources)
    try:
        return Converter.load_from_disk(target)
    except ArtifactError:
        pass  # not there yet, or damaged: made anew
    shutil.rmtree(target, ignore_errors=True)
    specs, exemplars, recognizers = sources
    converter = Converter()
    converter.add_function_specs(specs).add_exemplars(exemplars).add_recognizers(recognizers)
    with progress() as report:
        converter.finalize(target, overwrite=True, progress=report)
    for old in cache.iterdir():
        if old != target:
            shutil.rmtree(old, ignore_errors=True)
    return converter


def _key(sources: list[Path]) -> str:
    """A digest of everything that the artifact depends on, this package's own code included."""
    found = [models.locate(DEFAULT_MODEL)]
    if models.pulled(DEFAULT_EMBEDDER) is not None:
        found.append(models.locate(DEFAULT_EMBEDDER))
    code = sorted(Path(str(package_files("constrained_du"))).rglob("*.py"))
    state = sha256(f"{__version__} {FORMAT}".encode())
    for file in found:
        state.update(models.digest(file).encode())
    for source in (*sources, *code):
        state.update(sha256(source.read_bytes()).digest())
    return state.hexdigest()[:16]
