"""Beside the peers: one interleaved run on one model file, with a row for each system.

    python benchmarks/peers.py [--data DIR] [--most N] [--model M] [--only TEXT …] [--out DIR] [--peers DIR]

Each system runs in a process of its own (``peers_worker``), one at a time; every utterance goes to all of them
before the next one, in turning order, so that whatever else the machine does meets them alike. Compare
ratios, not seconds. What is not installed is a row that says so. The peers' libraries are looked for in
``--peers`` too, where ``make peers`` puts them: guidance wants an older llguidance than the one in use here.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package beside, where none is installed

from peers_domain import Domain, home, snips, spread
from peers_worker import SYSTEMS, schema

from constrained_du.loading import Settings
from constrained_du.models import models

HERE = Path(__file__).resolve().parent
OURS = "constrained_du"
PATIENCE = 240.0  # seconds for a start or an answer, after which a system has failed
NO_CALL = "do_not_understand"


@dataclass
class Row:
    """A system, its process, and what it answered so far."""

    name: str
    process: subprocess.Popen[bytes]
    said: dict[str, Any] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)

    def put(self, value: Any) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        ready: Sequence[Any] = (self,)
        try:
            self.process.stdin.write(json.dumps(value).encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            line = self.process.stdout.readline() if ready else b""
        except BrokenPipeError:
            line = b""
        if line:
            return dict(json.loads(line))
        self.process.kill()
        return {"failed": f"no answer in {PATIENCE:.0f} s" if not ready else "its process ended"}

    @property
    def runs(self) -> bool:
        return "start" in self.said

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def start(name: str, domain: Domain, model: str, threads: int, libraries: Path) -> Row:
    paths = [str(libraries)] if libraries.is_dir() and not name.startswith(OURS) else []
    paths += [path for path in (os.environ.get("PYTHONPATH"), str(HERE.parent)) if path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_WAIT_POLICY": "PASSIVE"}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "peers_worker.py"), name], env=environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    row = Row(name, process)
    row.said = row.put({"model": model, "threads": threads, "tools": domain.tools})
    return row


def run(domain: Domain, names: Sequence[str], most: int, model: str, threads: int, libraries: Path) -> list[Row]:
    """All systems on the same lines; the first line is asked once more beforehand, to warm up."""
    lines = spread(domain.lines, most)
    rows = []
    try:
        for name in names:
            rows.append(start(name, domain, model, threads, libraries))
            if rows[-1].runs and "failed" in (warm := rows[-1].put(lines[-1][0])):
                rows[-1].said = warm
            state = next((f"{key}: {value}" for key, value in rows[-1].said.items() if key != "version"), "")
            print(f"  {name}: {state}", file=sys.stderr, flush=True)
        for number, (utterance, wanted) in enumerate(lines):
            shift = number % len(rows)
            for row in (*rows[shift:], *rows[:shift]):
                if not row.runs:
                    continue
                answer = row.put(utterance)
                if "failed" in answer:
                    row.said = answer
                else:
                    verdict = judged(domain, answer["text"], wanted)
                    row.answers.append({"utterance": utterance, "wanted": wanted, **answer, **verdict})
            print(f"  {number + 1}/{len(lines)}", file=sys.stderr, end="\r", flush=True)
    finally:
        for row in rows:
            row.close()
    return rows


def judged(domain: Domain, text: str, wanted: str) -> dict[str, bool]:
    """Whether a text is a call that the functions allow, and of the right function."""
    from jsonschema import Draft202012Validator

    try:
        call = json.loads(text)
    except ValueError:
        return {"valid": False, "right": False}
    refused = call == {"name": NO_CALL, "arguments": {}}
    valid = refused or Draft202012Validator(schema(domain.tools)).is_valid(call)
    return {"valid": valid, "right": valid and call["name"] == wanted}


def table(rows: Sequence[Row]) -> str:
    """Markdown; times as multiples of ours."""
    own = next((row for row in rows if row.name == OURS and row.answers), None)
    unit = median(one["seconds"] for one in own.answers) if own else None
    head = "system | valid | function right | p50, × ours | p95, × our p50 | p50 ms | tokens | passes | outside llama.cpp"
    text = f"| {head} |\n{'|---' * (head.count('|') + 1)}|\n"
    for row in rows:
        text += f"| {' | '.join(_cells(row, unit))} |\n"
    return text


def _cells(row: Row, unit: float | None) -> list[str]:
    if not row.answers or "failed" in row.said:
        if "absent" in row.said:
            return [row.name, f"absent: {row.said['absent']}", *[""] * 7]
        return [row.name, f"failed: {str(row.said.get('failed', 'no answer'))[:120]}", *[""] * 7]
    seconds = sorted(one["seconds"] for one in row.answers)
    middle, late = median(seconds), seconds[min(len(seconds) - 1, len(seconds) * 95 // 100)]
    count, valid, right = len(seconds), *(sum(one[what] for one in row.answers) for what in ("valid", "right"))
    outside = median(1 - one["inside"] / one["seconds"] for one in row.answers)
    return [
        f"{row.name} {row.said['version']}", f"{valid}/{count}", f"{right}/{count} ({right / count:.2f})",
        f"{middle / unit:.2f}" if unit else "–", f"{late / unit:.2f}" if unit else "–", f"{middle * 1000:.0f}",
        f"{median(one['tokens'] for one in row.answers):g}", f"{median(one['passes'] for one in row.answers):g}",
        f"{outside:.0%}",
    ]  # fmt: skip


def draw(found: Sequence[tuple[Domain, list[Row]]], path: Path) -> bool:
    """Accuracy over time, a point a system; False where matplotlib is not there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(6 * len(found), 4.5))
    for number, (domain, rows) in enumerate(found):
        axes = figure.add_subplot(1, len(found), number + 1, title=domain.name, xlabel="p50, ms", ylabel="function right")
        axes.set_xscale("log")
        axes.set_ylim(-0.05, 1.05)
        for row in (row for row in rows if row.answers):
            at = median(one["seconds"] for one in row.answers) * 1000
            right = sum(one["right"] for one in row.answers) / len(row.answers)
            axes.plot(at, right, "o", color="#2b6cb0" if row.name.startswith(OURS) else "#c05621")
            axes.annotate(row.name, (at, right), fontsize=7, xytext=(3, 4), textcoords="offset points")
    figure.savefig(path, dpi=130, bbox_inches="tight")
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data", help="the folder that has snips/")
    parser.add_argument("--most", type=int, default=14, help="utterances of each domain")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--threads", type=int, default=Settings("").thread_count)
    parser.add_argument("--domains", nargs="*", default=["snips", "home"], choices=["snips", "home"])
    parser.add_argument("--only", nargs="*", default=[], metavar="TEXT", help="only systems whose name has one of these")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    parser.add_argument("--peers", type=Path, default=HERE / "out" / "peers", help="a folder with the peers' libraries")
    chosen = parser.parse_args(arguments)
    names = [name for name in SYSTEMS if not chosen.only or name == OURS or any(text in name for text in chosen.only)]
    domains = [home()] if "home" in chosen.domains else []
    if "snips" in chosen.domains and (chosen.data / "snips").is_dir():
        domains.insert(0, snips(chosen.data))
    elif "snips" in chosen.domains:
        print(f"no SNIPS in {chosen.data} - give the folder of the sets with --data", file=sys.stderr)
    model = models.locate(chosen.model)
    chosen.out.mkdir(parents=True, exist_ok=True)
    found, text = [], f"{date.today()}, {model.name}, {chosen.threads} threads\n"
    for domain in domains:
        print(domain.name, file=sys.stderr)
        rows = run(domain, names, chosen.most, str(model.resolve()), chosen.threads, chosen.peers.resolve())
        found.append((domain, rows))
        text += f"\n{domain.name}\n\n{table(rows)}"
    print(text)
    (chosen.out / "peers.md").write_text(text, encoding="utf-8")
    raw = {domain.name: {row.name: {**row.said, "answers": row.answers} for row in rows} for domain, rows in found}
    (chosen.out / "peers.json").write_text(json.dumps(raw, ensure_ascii=False, indent=1), encoding="utf-8")
    draw(found, chosen.out / "peers.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
