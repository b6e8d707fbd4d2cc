"""A report drawn for a terminal, with rich; the only module here that imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from constrained_du.evaluation.figures import Share
from constrained_du.evaluation.report import Figures, Report

MOST_GROUPS = 24
"""More rows than this no longer fit a screen; the JSON has all."""


def render(report: Report) -> RenderableType:
    tables: list[RenderableType] = [_figures(report.figures)]
    if report.groups:
        tables.append(_groups(report))
    return Group(*tables)


@contextmanager
def progress_bar(console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """A bar to hand to ``evaluate(progress=…)``; drawn on stderr unless told otherwise."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console or Console(stderr=True), transient=True) as bar:
        task = bar.add_task("evaluating", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _figures(figures: Figures) -> Table:
    title = f"{len(figures.outcomes)} lines, {figures.errors} errors"
    table = Table("figure", title=title, title_justify="left")
    table.add_column("value", justify="right")
    table.add_column("counted", justify="right")
    for name, value, counted in _rows(figures):
        table.add_row(name, value, counted)
    return table


def _rows(figures: Figures) -> Iterator[tuple[str, str, str]]:
    shares = {
        "exact call": figures.exact,
        "equal to `calls`": figures.strict,
        "function (in scope)": figures.function,
        "do_not_understand recall": figures.do_not_understand_recall,
        "the same, or a question for what is missing": figures.refused_or_incomplete,
        "do_not_understand precision": figures.do_not_understand_precision,
        "wrong but valid": figures.wrong_but_valid,
        "valid answers": figures.valid,
        "right answer sayable": figures.sayable,
    }
    for name, share in shares.items():
        yield name, _number(share.rate), _counts(share)
    slots = figures.slots
    yield "slot precision", _number(slots.precision), f"{slots.right}/{slots.said}"
    yield "slot recall", _number(slots.recall), f"{slots.right}/{slots.gold}"
    yield "slot F1", _number(slots.f1), ""
    facts = figures.to_json()
    auroc, error, latency = facts["auroc"], facts["calibration_error"], facts["latency_ms"]
    yield "AUROC of confidence", _number(auroc["value"]), f"{auroc['right']} right, {auroc['wrong']} wrong"
    yield "the same among calls", _number(auroc["of_calls"]), ""
    yield "expected calibration error", _number(error["value"]), str(error["count"])
    pair = f"{_number(latency['p50'], 1)} / {_number(latency['p95'], 1)}"
    yield "latency p50 / p95, ms", pair, str(latency["count"])
    for key, name in (("tokens_evaluated", "tokens evaluated"), ("forward_passes", "forward passes")):
        cost = facts[key]
        pair = f"{_number(cost['mean'], 1)} / {_number(cost['median'], 1)}"
        yield f"{name}, mean / median", pair, str(cost["count"])


def _groups(report: Report) -> Table:
    table = Table("group", title="by group", title_justify="left")
    for name in ("lines", "exact", "function", "slot F1", "refused right", "wrong but valid"):
        table.add_column(name, justify="right")
    for name, figures in list(report.groups.items())[:MOST_GROUPS]:
        table.add_row(
            name,
            str(len(figures.outcomes)),
            _number(figures.exact.rate),
            _number(figures.function.rate),
            _number(figures.slots.f1),
            _number(figures.do_not_understand_recall.rate),
            _number(figures.wrong_but_valid.rate),
        )
    if len(report.groups) > MOST_GROUPS:
        table.add_row(f"… and {len(report.groups) - MOST_GROUPS} more in the JSON", *[""] * 6)
    return table


def _counts(share: Share) -> str:
    return f"{share.right}/{share.of}"


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
