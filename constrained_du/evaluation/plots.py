"""A report as pictures: confusion, reliability, risk and coverage, latency.

The only importer of matplotlib (optional group ``plots``), and only when asked to
draw. Draws on its own figures, so no display and no global state are touched.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constrained_du.errors import ConstrainedDuError, InputError
from constrained_du.evaluation.figures import CALIBRATION_BINS, Judged, calibration, percentile, risk_coverage
from constrained_du.evaluation.report import Report
from constrained_du.types import DO_NOT_UNDERSTAND

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_FUNCTIONS = 20
"""A matrix of more functions has no readable labels; the most confused ones are shown then."""
MOST_PAIRS = 20
INK, RIGHT, WRONG = "#333333", "#2b6cb0", "#c05621"
"""Blue and orange: told apart by every common kind of colour vision."""


def draw(report: Report, directory: str | Path) -> list[Path]:
    """Writes the PNGs into ``directory`` (made if absent) and returns their paths.

    Pictures with nothing to show are not written. ``InputError`` if the directory
    cannot be written, ``ConstrainedDuError`` if matplotlib is not installed.
    """
    directory = Path(directory)
    pictures = {
        "confusion.png": _draw_confusion(report),
        "reliability.png": _draw_reliability(report.figures.judged, report.figures.calibration_error),
        "risk-coverage.png": _draw_risk_coverage(report.figures.judged),
        "latency.png": _draw_latency(report.figures.milliseconds),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return [_save(figure, directory / name) for name, figure in pictures.items() if figure is not None]
    except OSError as error:
        raise InputError(f"cannot write plots into {directory}: {error} - name another directory") from error


def _save(figure: Figure, path: Path) -> Path:
    with warnings.catch_warnings():
        # A label in a script that the font lacks is drawn as boxes; no reason to fail.
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(path, dpi=130, bbox_inches="tight")
    return path


def _new(width: float, height: float) -> tuple[Figure, Axes]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConstrainedDuError("plots need matplotlib - pip install 'constrained-du[plots]'") from error
    figure = Figure(figsize=(width, height))
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _draw_confusion(report: Report) -> Figure | None:
    """A matrix while the functions are few, else the pairs that are confused most."""
    counts = Counter({pair: count for pair, count in report.confusion.items() if "(error)" not in pair})
    names = sorted(
        {name for pair in counts for name in pair}, key=lambda name: (name == DO_NOT_UNDERSTAND, name)
    )
    if not names:
        return None
    if len(names) > MOST_FUNCTIONS:
        return _draw_pairs(counts)
    return _draw_matrix(counts, names)


def _draw_matrix(counts: Counter[tuple[str, str]], names: Sequence[str]) -> Figure:
    totals = Counter[str]()
    for (expected, _), count in counts.items():
        totals[expected] += count
    shares = [[counts[row, column] / max(totals[row], 1) for column in names] for row in names]
    size = 2.5 + 0.42 * len(names)
    figure, axes = _new(size + 1, size)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for y, row in enumerate(names):
        for x, column in enumerate(names):
            if counts[row, column]:
                color = "white" if shares[y][x] > 0.6 else WRONG if x != y else INK
                axes.text(x, y, str(counts[row, column]), ha="center", va="center", fontsize=8, color=color)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), [f"{name}  ({totals[name]})" for name in names], fontsize=8)
    axes.set(xlabel="answered", ylabel="expected (lines)", title="Functions: expected and answered")
    return figure


def _draw_pairs(counts: Counter[tuple[str, str]]) -> Figure | None:
    confused = Counter({pair: count for pair, count in counts.items() if pair[0] != pair[1]})
    top = sorted(confused.items(), key=lambda item: (-item[1], item[0]))[:MOST_PAIRS]
    if not top:
        return None
    figure, axes = _new(9, 1.2 + 0.28 * len(top))
    from matplotlib.ticker import MaxNLocator

    places = range(len(top))
    axes.barh(places, [count for _, count in top], color=WRONG)
    axes.set_yticks(places, [f"{expected} → {answered}" for (expected, answered), _ in top], fontsize=8)
    axes.invert_yaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    shown, everything = sum(count for _, count in top), sum(confused.values())
    axes.set(xlabel="lines", title=f"Most confused: expected → answered ({shown} of {everything} confusions)")
    return figure


def _draw_reliability(judged: Sequence[Judged], error: float | None) -> Figure | None:
    bins = calibration(judged)
    if not bins:
        return None
    figure, axes = _new(6, 5)
    width = 1 / CALIBRATION_BINS
    axes.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1, label="as promised")
    axes.bar(
        [held.low for held in bins], [held.accuracy for held in bins], width, align="edge",
        color=RIGHT, alpha=0.75, edgecolor="white", label="right",
    )  # fmt: skip
    axes.plot(
        [held.confidence for held in bins],
        [held.accuracy for held in bins],
        "o",
        color=WRONG,
        ms=4,
        label="mean confidence",
    )
    for held in bins:
        spot = (held.low + width / 2, held.accuracy + 0.015)
        axes.text(*spot, str(held.answers), ha="center", fontsize=7, color=INK)
    axes.set(xlim=(0, 1), ylim=(0, 1.08), xlabel="confidence", ylabel="share right")
    axes.set_title(f"Reliability of {len(judged)} answers, calibration error {error:.3f}", fontsize=11)
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    return figure


def _draw_risk_coverage(judged: Sequence[Judged]) -> Figure | None:
    points = risk_coverage(judged)
    if not points:
        return None
    figure, axes = _new(6, 4)
    axes.step([coverage for coverage, _ in points], [risk for _, risk in points], where="post", color=RIGHT)
    axes.plot(*points[-1], "o", color=WRONG)
    label = f"all: {points[-1][1]:.3f}"
    axes.annotate(label, points[-1], textcoords="offset points", xytext=(-8, 8), ha="right", fontsize=9)
    top = max(risk for _, risk in points)
    axes.set(xlim=(0, 1.02), ylim=(0, max(top * 1.15, 0.05)))
    axes.set(xlabel="coverage: share kept, most confident first", ylabel="risk: share wrong among them")
    axes.set_title(f"Risk and coverage: {len(judged)} answers")
    return figure


def _draw_latency(milliseconds: Sequence[float]) -> Figure | None:
    half, most = percentile(milliseconds, 50), percentile(milliseconds, 95)
    if half is None or most is None:
        return None
    figure, axes = _new(6, 4)
    axes.hist(milliseconds, bins=_latency_bins(milliseconds), color=RIGHT, edgecolor="white", linewidth=0.5)
    styles: list[tuple[str, float, Any]] = [("p50", half, "-"), ("p95", most, "--")]
    for name, value, style in styles:
        axes.axvline(value, color=WRONG, linestyle=style, linewidth=1.2, label=f"{name} {value:.1f} ms")
    axes.set(xlabel="milliseconds an answer", ylabel="lines", title=f"Latency: {len(milliseconds)} answers")
    axes.legend(frameon=False, fontsize=9)
    return figure


def _latency_bins(milliseconds: Sequence[float]) -> int:
    return max(5, min(40, int(len(milliseconds) ** 0.5) * 2))
