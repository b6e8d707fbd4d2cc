"""Cases in processes of their own: a worker that dies or hangs costs one case, not the run.

The child reads a case id a line and writes a verdict a line, on a pipe that no
library prints to. A system test (``S``) gets a worker for itself alone.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from case_artifacts import ARTIFACT_PROCEDURES
from case_expect import judge, judge_same
from case_files import Case, variants, write_out
from case_laws import check_laws
from case_models import zero_model
from case_procedures import PROCEDURES, SCRIPT, Scene
from case_run import Run, run_case

DEFAULT_TIMEOUT = 300
"""Seconds for a case that names none."""
GRACE = 60
"""Seconds for a worker to end; the interpreter unloads a model meanwhile."""


@dataclass(frozen=True)
class Verdict:
    """How a case went; ``status`` is ``right``, ``wrong`` or ``inside``."""

    id: str
    check: str
    status: str
    reasons: tuple[str, ...] = ()
    seconds: float = 0.0


def examine(case: Case, model: str, scratch: Path) -> list[str]:
    """Runs a case in this process; why it is not right, empty if it is."""
    case = write_out(case) if "vary" not in case else case
    if case.get("model") == "zero":
        model = str(zero_model(model, scratch))
    with tempfile.TemporaryDirectory(dir=scratch) as own:
        if "procedure" in case:
            return _run_procedure(case, model, Path(own))
        if "vary" in case:
            return _run_variants(case, model, Path(own))
        run = run_case(case, model, Path(own) / "artifact")
        return check_laws(run) + judge(case["expect"], run)


def _run_procedure(case: Case, model: str, own: Path) -> list[str]:
    try:
        return {**PROCEDURES, **ARTIFACT_PROCEDURES}[case["procedure"]["do"]](Scene(case, model, own))
    except Exception as error:
        return [f"{type(error).__name__}: {str(error)[:300]}"]


def _run_variants(case: Case, model: str, own: Path) -> list[str]:
    runs: list[Run] = []
    for index, variant in enumerate(variants(case)):
        runs.append(run_case(write_out(variant), model, own / f"artifact-{index}"))
    return [reason for run in runs for reason in check_laws(run)] + judge_same(case["expect"]["same"], runs)


def serve(cases: Sequence[Case], model: str, scratch: Path) -> None:
    """The child: an id a line on stdin, the reasons as JSON a line on what was stdout."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    by_id = {case["id"]: case for case in cases}
    for line in sys.stdin:
        reasons = examine(by_id[line.strip()], model, scratch)
        out.write(json.dumps(reasons) + "\n")
        out.flush()


class Worker:
    """The parent's end of one child."""

    def __init__(self, folder: Path, model: str, scratch: Path) -> None:
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the worker
        command = [
            sys.executable,
            str(SCRIPT),
            "--serve",
            str(scratch),
            "--cases",
            str(folder),
            "--model",
            model,
        ]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, start_new_session=True
        )

    def examine(self, case: Case) -> list[str]:
        assert self.child.stdin is not None and self.child.stdout is not None
        timeout = case.get("timeout", DEFAULT_TIMEOUT)
        self.child.stdin.write(f"{case['id']}\n".encode())
        self.child.stdin.flush()
        ready, _, _ = select.select([self.child.stdout], [], [], timeout)
        if not ready:
            self.kill()
            return [f"not done after {timeout} s"]
        line = self.child.stdout.readline()
        if line:
            return [str(reason) for reason in json.loads(line)]
        return [f"the process died with {self.child.wait()}: {self._last_words()}"]

    @property
    def is_alive(self) -> bool:
        return self.child.poll() is None

    def close(self) -> list[str]:
        """Lets the child end by itself; what went wrong at its end."""
        assert self.child.stdin is not None
        if not self.is_alive:
            return []
        self.child.stdin.close()
        try:
            code = self.child.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()
            return [f"the process did not end within {GRACE} s"]
        words = self._last_words()
        if code or "Traceback" in words or "Exception ignored" in words:
            return [f"the process ended with {code}: {words}"]
        return []

    def kill(self) -> None:
        """The child and what it started."""
        os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()

    def _last_words(self) -> str:
        self.errors.seek(0)
        return self.errors.read()[-400:].strip().replace("\n", " | ")


class Crew:
    """Hands each case to a worker: one for all ``D`` and ``M``, a new one for each ``S``."""

    def __init__(self, folder: Path, model: str, scratch: Path) -> None:
        self.make: Any = lambda: Worker(folder, model, scratch)
        self.shared: Worker | None = None

    def examine(self, case: Case) -> Verdict:
        if case["expect"].get("inside"):
            return Verdict(case["id"], case["check"], "inside", (case.get("rule", ""),))
        start = time.perf_counter()
        reasons = self._alone(case) if case["check"] == "S" else self._shared(case)
        status = "wrong" if reasons else "right"
        return Verdict(case["id"], case["check"], status, tuple(reasons), time.perf_counter() - start)

    def _alone(self, case: Case) -> list[str]:
        worker = self.make()
        return list(worker.examine(case)) + list(worker.close())

    def _shared(self, case: Case) -> list[str]:
        if self.shared is None or not self.shared.is_alive:
            self.shared = self.make()
        return self.shared.examine(case)

    def close(self) -> list[str]:
        return self.shared.close() if self.shared is not None else []
