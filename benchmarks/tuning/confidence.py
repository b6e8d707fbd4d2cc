"""Fits how likely an answer is right from its grounds, on the development lines of all sets.

``python benchmarks/tuning/confidence.py --cache FILE [--most 100] [--sets snips:0 …]`` asks
every line, prints the usual row a set, then the weights for ``constrained_du/weights/confidence.py`` with
calibration error and AUROC of each set under weights that never saw it.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import accuracy

from constrained_du import Result
from constrained_du.evaluation.figures import Judged, auroc, calibration_error
from constrained_du.functions.classifier import minimise

PENALTY = 3e-3
BY_HAND = {"exemplar": 2.0, "replied": 0.0, "second": 0.0}
"""Not fitted: an exemplar without open slots is the developer's own word, and the sets say little of the others."""


def gather(arguments: argparse.Namespace, known: dict[str, Any]) -> None:
    for plan in arguments.sets:
        if plan in known:
            continue
        started = time.monotonic()
        rows: list[Mapping[str, float]] = []
        model = "gemma3-270m" if plan.split(":")[0].endswith(("zh", "ja")) else arguments.model

        def see(result: Result, to: list[Mapping[str, float]] = rows) -> None:
            to.append(result.explain().grounds)

        report = accuracy.run(arguments.data, plan, model, arguments.most, None, see)
        print(accuracy.row(plan, report, time.monotonic() - started), flush=True)
        answered = [outcome for outcome in report.outcomes if outcome.error is None]
        known[plan] = [(dict(g), o.refused, o.right) for g, o in zip(rows, answered, strict=True)]
        arguments.cache.write_bytes(pickle.dumps(known))


def fit(rows: Sequence[tuple[float, Mapping[str, float], bool]], names: Sequence[str]) -> dict[str, float]:
    """Logistic regression; each row has a weight, its grounds and whether it was right."""
    x = np.array([[g.get(name, 0.0) for name in names] for _, g, _ in rows])
    y = np.array([float(right) for *_, right in rows])
    share = np.array([weight for weight, *_ in rows])
    share /= share.sum()

    def loss(w: Any) -> tuple[float, Any]:
        z = x @ w
        p = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
        value = float(share @ (np.logaddexp(0, z) - y * z)) + PENALTY / 2 * float(w @ w)
        return value, x.T @ (share * (p - y)) + PENALTY * w

    return dict(zip(names, minimise(loss, np.zeros(len(names)), 200).tolist(), strict=True)) | BY_HAND


def rows_of(known: Mapping[str, Any], plans: Sequence[str], refused: bool) -> list[tuple[float, Mapping[str, float], bool]]:
    rows = ((1 / len(known[plan]), g, away, right) for plan in plans for g, away, right in known[plan] if g)
    return [(weight, g, right) for weight, g, away, right in rows if away == refused and not g.get("exemplar")]


def judged(rows: Sequence[Any], weights: Mapping[bool, Mapping[str, float]]) -> list[Judged]:
    found = []
    for grounds, refused, right in rows:
        if grounds:
            z = sum(w * grounds.get(name, 0.0) for name, w in weights[refused].items())
            found.append(Judged(1 / (1 + float(np.exp(-z))), right))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="*", default=accuracy.SETS)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--model", default="smollm2-135m-instruct", help="for English")
    parser.add_argument("--cache", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = pickle.loads(arguments.cache.read_bytes()) if arguments.cache.exists() else {}
    gather(arguments, known)
    every = [row for rows in known.values() for row in rows]
    names = {away: sorted({n for g, a, _ in every if a == away for n in g} - BY_HAND.keys()) for away in (False, True)}

    def fitted(plans: Sequence[str]) -> dict[bool, dict[str, float]]:
        return {refused: fit(rows_of(known, plans, refused), names[refused]) for refused in (False, True)}

    everything: list[Judged] = []
    for plan, rows in known.items():
        family = plan.split("/")[0].split(":")[0]
        others = [other for other in known if other.split("/")[0].split(":")[0] != family]
        found = judged(rows, fitted(others))
        everything += found
        calls = [row for row in rows if not row[1]]
        rank = auroc(judged(calls, fitted(others)))
        right = sum(row.right for row in found) / len(found)
        ranked = "–" if rank is None else f"{rank:.3f}"
        print(f"{plan:28} right {right:.3f}  ECE {calibration_error(found):.3f}  AUROC of calls {ranked}")
    print(f"all, each set unseen: ECE {calibration_error(everything):.3f}  AUROC {auroc(everything):.3f}")
    final = fitted(list(known))
    print(f"all, as fitted: ECE {calibration_error(judged([r for rows in known.values() for r in rows], final)):.3f}")
    print(json.dumps([{n: round(w, 3) for n, w in part.items()} for part in (final[False], final[True])], indent=4))


if __name__ == "__main__":
    main()
