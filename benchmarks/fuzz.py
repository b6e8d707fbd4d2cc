"""Fuzzes the package: guided by coverage where atheris is installed, by chance where it is not.

    python benchmarks/fuzz.py --out FOLDER [--target NAME] [--cases N]

Every input that ends in anything but an answer or an error of the package, or takes more than
10 s of a core, is kept in FOLDER/finds (one for each place in the code), and the run goes on. FOLDER/NAME.json
holds the counts. Exit code: 0 if nothing was found, 1 if something was.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests"), str(HERE.parent)]

LONGEST = 10  # seconds of a core that one case may take …
BLOCKED = 300  # … and of the clock, for a case that waits for ever; the machine may be busy with other work
MOST_MIB = 2048  # resident memory of one target's process
SHARES = {
    "gguf": 0.35, "entities": 0.25, "exemplars": 0.25, "specs": 0.11, "utterances": 0.02, "http": 0.015, "artifacts": 0.005,
}  # fmt: skip
"""Of all cases; the last four compile or answer, which takes milliseconds each."""


class Hang(BaseException):
    """A case that took too long."""


class Campaign:
    """The cases of one target and what became of them."""

    def __init__(self, target: str, most: int, out: Path, run: Callable[[bytes], bool]) -> None:
        self.target, self.most, self.out, self.run = target, most, out, run
        self.counts, self.started, self.slowest, self.base = Counter[str](), time.monotonic(), 0.0, 0
        self.finds: dict[str, str] = {}
        (out / "finds").mkdir(parents=True, exist_ok=True)
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, self._too_long)

    @staticmethod
    def _too_long(number: int, frame: FrameType | None) -> None:
        raise Hang

    def case(self, raw: bytes) -> None:
        self.counts["cases"] += 1
        started = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, LONGEST)
            signal.setitimer(signal.ITIMER_REAL, BLOCKED)
            self.counts["accepted" if self.run(raw) else "refused"] += 1
        except (Exception, Hang) as problem:  # noqa: BLE001 - what is looked for
            self._found(raw, problem)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.slowest = max(self.slowest, time.process_time() - started)
        if self.counts["cases"] == self.most // 2:
            self.base = _peak_mib()
        if self.counts["cases"] % 500 == 0 or self.is_done:
            self._write()

    @property
    def is_done(self) -> bool:
        return self.counts["cases"] >= self.most

    def _found(self, raw: bytes, problem: BaseException) -> None:
        self.counts["finds"] += 1
        frames = [f for f in traceback.extract_tb(problem.__traceback__) if "constrained_du" in f.filename]
        at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        place = f"{self.target} {type(problem).__name__} {at if type(problem).__name__ != 'Broken' else str(problem)[:40]}"
        if place not in self.finds:
            name = f"{self.target}-{sha256(place.encode()).hexdigest()[:10]}"
            self.finds[place] = f"{name}: {str(problem)[:200]}"
            (self.out / "finds" / name).write_bytes(raw)
            (self.out / "finds" / f"{name}.txt").write_text("".join(traceback.format_exception(problem))[-6000:], "utf-8", "replace")

    def _write(self) -> None:
        told = {
            **self.counts, "seconds": round(time.monotonic() - self.started, 1), "slowest": round(self.slowest, 3),
            "peak MiB": _peak_mib(), "peak MiB at half": self.base, "guided": "atheris" in sys.modules, "places": self.finds,
        }  # fmt: skip
        (self.out / f"{self.target}.json").write_text(json.dumps(told, indent=1, ensure_ascii=True) + "\n")


def _peak_mib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def _guided(atheris: Any, campaign: Campaign, folder: Path) -> None:
    """libFuzzer drives; it leaves the process itself when the cases are done."""
    corpus = folder / "corpus" / campaign.target
    corpus.mkdir(parents=True, exist_ok=True)

    def one(raw: bytes) -> None:
        campaign.case(raw)
        if campaign.is_done:
            sys.stdout.flush()
            os._exit(0)

    kept = f"-artifact_prefix={folder}/"  # what libFuzzer finds slow stays out of the working folder
    options = [kept, f"-runs={campaign.most * 2}", f"-rss_limit_mb={MOST_MIB}", "-timeout=60", "-max_len=400", "-len_control=20"]
    atheris.Setup([sys.argv[0], *options, "-verbosity=0", "-close_fd_mask=2", str(corpus)], one)
    atheris.Fuzz()


def _by_chance(campaign: Campaign) -> None:
    """Random bytes, and random changes of inputs that were accepted."""
    random, kept = Random(campaign.target), [b""]
    while not campaign.is_done:
        raw = bytearray(random.choice(kept))
        for _ in range(random.randint(1, 4)):
            at = random.randint(0, len(raw))
            raw[at : at + random.randint(0, 4)] = random.randbytes(random.randint(0, 12))
        before = campaign.counts["accepted"]
        campaign.case(bytes(raw[:400]))
        if campaign.counts["accepted"] > before and len(kept) < 5000:
            kept.append(bytes(raw[:400]))


def fuzz(target: str, cases: int, out: Path) -> None:
    try:
        import atheris  # type: ignore[import-not-found]
    except ImportError:
        atheris = None
    if atheris is None:
        import fuzz_targets
    else:
        with atheris.instrument_imports(include=["constrained_du"]):
            import fuzz_targets
    world = fuzz_targets.World()
    campaign = Campaign(target, cases, out, lambda raw: fuzz_targets.run(world, target, raw))
    if atheris is None:
        _by_chance(campaign)
    else:
        _guided(atheris, campaign, out)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzzes the package.")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--target", choices=tuple(SHARES))
    parser.add_argument("--cases", type=int, default=1_000_000, metavar="N", help="of all targets together")
    options = parser.parse_args()
    if options.target:
        fuzz(options.target, options.cases, options.out)
        return 0
    found = 0
    for target, share in SHARES.items():
        command = [sys.executable, __file__, "--out", options.out, "--target", target, "--cases", str(int(options.cases * share))]
        code = subprocess.run(command, check=False).returncode
        told = json.loads((options.out / f"{target}.json").read_text())
        found += len(told["places"]) + (code != 0)
        print(f"{target:11} {told['cases']:9,} cases, {told.get('accepted', 0):9,} accepted, {len(told['places'])} places, exit {code}", flush=True)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
