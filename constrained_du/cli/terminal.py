"""What the commands share for talking to a terminal: lines, progress bars, failures.

Answers go to stdout, everything else to stderr. Knows rich; nothing of models and calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
)
from rich.text import Text

Report: TypeAlias = Callable[[str, int, int], None]
"""A stage, how much of it is done, and of how much (0: unknown)."""


class Failure(Exception):
    """Something outside went wrong (a download, a threshold that is not met): exit code 1."""


def say(line: str) -> None:
    """One line on stderr, with the program's name, as programs do."""
    print(f"constrained-du: {line}", file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    return " ".join(text.split())


@contextmanager
def progress(unit: str = "steps") -> Iterator[Report]:
    """A bar for each stage on stderr; where that is no terminal, a line for each stage.

    ``unit`` is ``"bytes"`` or ``"steps"``. Bars disappear once all is done.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    amount: ProgressColumn = _Bytes() if unit == "bytes" else _Steps()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), amount)
    with Progress(*columns, console=console, transient=True) as bars:
        yield _bars(bars)


def _bars(bars: Progress) -> Report:
    tasks: dict[str, TaskID] = {}

    def report(stage: str, done: int, of: int) -> None:
        if stage not in tasks:
            for earlier in tasks.values():
                bars.update(earlier, visible=False)
            tasks[stage] = bars.add_task(stage)
        bars.update(tasks[stage], completed=done, total=of if done and of else None)

    return report


def _lines() -> Report:
    seen: set[str] = set()

    def report(stage: str, done: int, of: int) -> None:
        if stage not in seen:
            seen.add(stage)
            say(f"{stage} …")

    return report


class _Steps(MofNCompleteColumn):
    def render(self, task: Task) -> Text:
        return super().render(task) if task.total else Text("")


class _Bytes(DownloadColumn):
    def render(self, task: Task) -> Text:
        return super().render(task) if task.total else Text("")
