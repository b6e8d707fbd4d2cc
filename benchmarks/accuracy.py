"""How right the answers are: every data set, with counts, in one table.

``python benchmarks/accuracy.py [--data DIR] [--sets snips:0 clinc150:10 …] [--most N] [--json OUT]``
compiles each set's functions with the named number of exemplars, asks every line of its
``dev.jsonl`` (``set/dev-entities:10`` for the other file) and prints one row a set; at the end how well the
confidence of all answers is calibrated.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from constrained_du import Converter, Result
from constrained_du.evaluation import evaluate, read_lines
from constrained_du.evaluation.figures import Judged, auroc, calibration_error
from constrained_du.evaluation.report import Report

SETS = (
    "snips:0", "snips:10", "snips/dev-entities:10", "sgd:10", "sgd/dev-entities:10", "restaurants8k:10", "home-en:3",
    "xsid-en:full", "home-zh:3", "xsid-zh:full", "xsid-ja:full", "clinc150:0", "clinc150:5", "clinc150:10",
    "banking77:0", "banking77:5", "banking77:10", "bfcl:0",
)  # fmt: skip
OTHER_SPECS = {"snips/dev-entities": "functions-entities.json"}


class Watched:
    """A converter whose results are shown to ``see`` as they come."""

    def __init__(self, converter: Converter, see: Callable[[Result], None]) -> None:
        self._converter, self._see, self.accepts = converter, see, converter.accepts

    def convert(self, *given: Any, **named: Any) -> Result:
        result = self._converter.convert(*given, **named)
        self._see(result)
        return result


def run(
    data: Path, plan: str, model: str, most: int | None, embedder: str | None,
    see: Callable[[Result], None] = lambda result: None,
) -> Report:  # fmt: skip
    """The report of one set; ``plan`` is ``set[/file]:exemplars``."""
    place, _, shown = plan.partition(":")
    name, _, file = place.partition("/")
    folder = data / name
    lines = read_lines(folder / f"{file or 'dev'}.jsonl")
    lines = lines if most is None else lines[:: max(1, len(lines) // most)][:most]
    options: dict[str, Any] = {} if embedder is None else {"embedder": None if embedder == "none" else embedder}
    options["operators"] = name == "sgd"  # its lines hold "I don't mind"

    def compiled(specs: Any) -> Watched:
        return Watched(Converter(model, **options).add_function_specs(list(specs)).finalize(), see)

    if name == "bfcl":
        return evaluate(None, lines, make_converter=compiled)
    converter = Converter(model, **options)
    converter.add_function_specs(folder / OTHER_SPECS.get(place, "functions.json"))
    if shown not in ("", "0"):
        converter.add_exemplars(folder / f"exemplars-{shown}.json")
    converter.finalize()
    return evaluate(Watched(converter, see), lines, operators=name == "sgd")


def plans_in(data: Path) -> list[str]:
    """The public sets in a folder; where there are none, each set with its exemplars."""
    known = [plan for plan in SETS if (data / plan.partition(":")[0].partition("/")[0]).is_dir()]
    return known or [f"{path.parent.name}:{path.stem.partition('-')[2]}" for path in sorted(data.glob("*/exemplars-*.json"))]


def row(plan: str, report: Report, seconds: float) -> str:
    figures = report.figures

    def share(value: Any) -> str:
        return "–" if value is None or value.rate is None else f"{value.rate:.3f} ({value.right}/{value.of})"

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.3f}"

    slots = figures.slots
    cost = figures.to_json()
    tokens = cost.get("tokens_evaluated")
    return " | ".join([
        "", plan, share(figures.exact), share(figures.function), number(slots.f1), share(figures.do_not_understand_recall),
        share(figures.wrong_but_valid), share(figures.valid), number(figures.auroc_of_calls), number(figures.calibration_error),
        json.dumps(tokens), f"{seconds:.0f} s", "",
    ]).strip()  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="*", help="those of the public sets that are there, else all that are there")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--embedder", help="a name or a path, or none")
    parser.add_argument("--most", type=int, help="lines of each set")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    if not chosen.data.is_dir():
        print(f"no data in {chosen.data} - give the folder of the sets with --data", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    columns = "set | exact | function (in scope) | slot F1 | refused rightly | wrong but valid | valid | AUROC | ECE | tokens"
    columns += " | time"
    print(f"| {columns} |\n{'|---' * (columns.count('|') + 1)}|")
    kept: dict[str, Any] = {}
    judged: list[Judged] = []
    for plan in chosen.sets or plans_in(chosen.data):
        started = time.monotonic()
        model = "gemma3-270m" if plan.split(":")[0].endswith(("zh", "ja")) else chosen.model
        report = run(chosen.data, plan, model, chosen.most, chosen.embedder)
        print(row(plan, report, time.monotonic() - started), flush=True)
        kept[plan] = report.to_json()
        judged += report.figures.judged
        if chosen.json is not None:
            chosen.json.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"\n{len(judged)} answers together: calibration error {calibration_error(judged)}, AUROC {auroc(judged)}")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    sys.exit(main())
