"""How cost grows: functions, candidates, words, memory and start, as rows and a plot.

    python benchmarks/scale.py [--functions N …] [--candidates N …] [--words N …] [--rounds N] [--out DIR]

Times are ratios to the first row of each table, the median of ``--rounds``; tokens and passes are exact. Start
and memory are measured in fresh processes, with the files in the page cache.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package beside, where none is installed

from constrained_du import Converter, Result
from constrained_du.models import models
from constrained_du.types import JsonValue

HERE = Path(__file__).resolve().parent
MODEL, EMBEDDER = "smollm2-135m-instruct", "all-minilm-l6-v2"
UTTERANCE = "could you repair the garden fence before Friday please"
VAGUE = "somebody ought to have a look at the old boat down there"  # the model is asked, however many functions there are
VERBS = ("repair", "order", "paint", "clean", "inspect", "rent", "sell", "move", "photograph", "measure")
PLACES = ("garden", "kitchen", "office", "harbour", "school", "station", "market", "museum", "forest", "workshop")
THINGS = ("fence", "table", "boat", "window", "engine", "piano", "bridge", "ladder", "camera", "carpet")
LONG = (
    "could you repair the fence of the garden behind our house because the storm last night took two of the old boards "
    "away and the neighbour asked whether somebody might come and look at it"
).split()
Table = list[dict[str, Any]]

FRESH = """
import json, resource, sys
from pathlib import Path
from time import perf_counter
began = perf_counter()
from constrained_du import Converter
imported = perf_counter()
du = Converter.load_from_disk(sys.argv[1])
loaded = perf_counter()
result = du.convert(sys.argv[2])
answered = perf_counter()
def peak():
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count what the process that started this one held
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 2**10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)
first = peak()
for text in sys.argv[3:]:
    du.convert(text)
print(json.dumps({"import s": imported - began, "load s": loaded - imported, "first answer s": answered - loaded,
    "tokens": result.stats.tokens_evaluated, "peak MiB": first, "peak MiB, more": peak()}))
"""


def functions(count: int) -> list[dict[str, JsonValue]]:
    """Verb by place by thing, the first hundred spread over all verbs."""
    names = [(verb, place, thing) for thing in THINGS for place in PLACES for verb in VERBS]
    helper: JsonValue = {"type": "string", "description": "who helps"}
    slots: JsonValue = {"when": {"type": "string", "description": "the day"}, "helper": helper}
    return [
        {
            "name": f"{verb}_{place}_{thing}", "description": f"{verb.capitalize()} the {thing} of the {place}.",
            "parameters": {"type": "object", "properties": slots},
        }
        for verb, place, thing in names[:count]
    ]  # fmt: skip


def timed(ask: Callable[[], Result], rounds: int) -> dict[str, Any]:
    """Warm; the counts have to be the same in every round."""
    results, seconds = [ask()], []
    for _ in range(rounds):
        began = perf_counter()
        results.append(ask())
        seconds.append(perf_counter() - began)
    costs = {(one.stats.tokens_evaluated, one.stats.forward_passes) for one in results}
    assert len(costs) == 1, f"one question cost {sorted(costs)}"
    [(tokens, passes)] = costs
    return {"tokens": tokens, "passes": passes, "seconds": median(seconds), "answer": results[0][0].name}


def by_functions(counts: Sequence[int], rounds: int, folder: Path) -> Table:
    table: Table = []
    for count in counts:
        began = perf_counter()
        target = folder / f"functions-{count}"
        Converter(MODEL).add_function_specs(functions(count)).finalize(target)
        finalized = perf_counter() - began
        du = Converter.load_from_disk(target)
        size = sum(path.stat().st_size for path in target.iterdir()) / 2**20
        row = {"functions": count, **timed(lambda du=du: du.convert(VAGUE), rounds)}  # type: ignore[misc]
        table.append({**row, "finalize s": round(finalized, 1), "artifact MiB": round(size, 1)})
        progress(table)
    return table


def by_candidates(counts: Sequence[int], rounds: int) -> Table:
    """A list of that many values in a recognizer, and as many candidates given with the request."""
    table: Table = []
    slot = {"type": "product", "description": "the product"}
    specs = [{"name": "order", "description": "Order a product", "parameters": {"type": "object", "properties": {"what": slot}}},
             {"name": "opening_hours", "description": "Tell when the shop is open"}]  # fmt: skip
    text = "send me table 00001 as soon as you can"
    for count in counts:
        values = [{"label": f"P-{n}", "expressions": [f"{THINGS[n % 10]} {n:05d}"]} for n in range(count)]
        kind = {"recognizers": {"product": {"name": "product", "rec_type": "list", "instances": values}}}
        du = Converter(MODEL).add_function_specs(specs).add_recognizers(kind).finalize()
        row = {"values": count, **timed(lambda du=du: du.convert(text), rounds)}  # type: ignore[misc]
        given = {"product": [(8, 19, f"P-{n}") for n in range(count)]}
        du.grammar(text, entities=given)
        seconds = []
        for _ in range(rounds):
            began = perf_counter()
            du.grammar(text, entities=given)
            seconds.append(perf_counter() - began)
        table.append({**row, "binding ms": round(median(seconds) * 1000, 1)})
        progress(table)
    return table


def by_words(counts: Sequence[int], rounds: int) -> Table:
    table: Table = []
    du = Converter(MODEL).add_function_specs(functions(10)).finalize()
    for count in counts:
        text = " ".join(LONG[n % len(LONG)] for n in range(count))
        table.append({"words": count, **timed(lambda text=text: du.convert(text), rounds)})  # type: ignore[misc]
        progress(table)
    return table


def starts(folder: Path) -> Table:
    """Fresh processes: seconds to the first answer and peak memory, for each model that is here."""
    table: Table = []
    domain = HERE.parent / "grammars" / "restaurant_en"
    for name, embedder in ((MODEL, None), (MODEL, EMBEDDER), ("gemma3-270m", None)):
        if models.pulled(name) is None:
            continue
        target = folder / f"start-{name}-{embedder}"
        made = Converter(name, embedder=embedder).add_function_specs(domain / "specs.json")
        made.add_exemplars(domain / "exemplars.json").add_recognizers(domain / "recognizers.json").finalize(target)
        size = sum(path.stat().st_size for path in target.iterdir()) / 2**20
        texts = ("is there anything for hungry people around the old harbour", "any good Thai restaurants in Seattle?", UTTERANCE)
        command = [sys.executable, "-c", FRESH, str(target), *texts]
        subprocess.run(command, check=True, capture_output=True)  # fills the page cache
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        row = {key: round(value, 2 if key.endswith(" s") else 0) for key, value in found.items()}
        table.append({"model": name, "embedder": embedder or "none", **row, "artifact MiB": round(size, 1)})
        progress(table)
    return table


def progress(table: Table) -> None:
    print(f"  {json.dumps(table[-1])}", file=sys.stderr, flush=True)


def markdown(table: Table) -> str:
    """The table; seconds as a ratio to the first row."""
    if not table:
        return ""
    base = table[0].get("seconds")
    rows = [
        {("time, × first" if key == "seconds" else key): (f"{value / base:.2f}" if key == "seconds" and base else value)
         for key, value in row.items()}
        for row in table
    ]  # fmt: skip
    lines = [" | ".join(rows[0]), "|".join("---" for _ in rows[0]), *(" | ".join(map(str, row.values())) for row in rows)]
    return "".join(f"| {line} |\n" for line in lines) + "\n"


def draw(tables: dict[str, Table], path: Path) -> bool:
    """Tokens and relative time over size; False where matplotlib is not there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    shown = {name: table for name, table in tables.items() if table and "seconds" in table[0]}
    figure = Figure(figsize=(4.5 * len(shown), 3.6))
    for number, (name, table) in enumerate(shown.items()):
        axes = figure.add_subplot(1, len(shown), number + 1, title=name, xlabel=next(iter(table[0])))
        sizes = [next(iter(row.values())) for row in table]
        axes.plot(sizes, [row["seconds"] / table[0]["seconds"] for row in table], "o-", color="#c05621", label="time, × first")
        axes.plot(sizes, [max(row["tokens"], 1) / max(table[0]["tokens"], 1) for row in table], "s--", color="#2b6cb0",
                  label="tokens, × first")  # fmt: skip
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.legend()
    figure.savefig(path, dpi=130, bbox_inches="tight")
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, nargs="*", default=[10, 100, 1_000], metavar="N")
    parser.add_argument("--candidates", type=int, nargs="*", default=[10, 100, 1_000, 10_000, 50_000], metavar="N")
    parser.add_argument("--words", type=int, nargs="*", default=[3, 10, 30, 100, 300], metavar="N")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-starts", action="store_true", help="leave out the fresh processes")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    chosen.out.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Table] = {}
    with TemporaryDirectory(prefix="scale-") as scratch:
        tables["Start and memory"] = [] if chosen.no_starts else starts(Path(scratch))
        tables["Words of the utterance"] = by_words(chosen.words, chosen.rounds)
        tables["Values of a list"] = by_candidates(chosen.candidates, chosen.rounds)
        tables["Functions"] = by_functions(chosen.functions, chosen.rounds, Path(scratch))
    text = f"{date.today()}, {MODEL} and {EMBEDDER}\n\n"
    text += "".join(f"{name}\n\n{markdown(table)}" for name, table in tables.items() if table)
    print(text)
    (chosen.out / "scale.md").write_text(text, encoding="utf-8")
    (chosen.out / "scale.json").write_text(json.dumps(tables, indent=1), encoding="utf-8")
    draw(tables, chosen.out / "scale.png")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    sys.exit(main())
