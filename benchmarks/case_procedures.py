"""The longer tests of the case files: sequences, batches, threads, memory, scores.

Each takes a ``Scene`` and returns the reasons why its rule does not hold; empty
means it does. Those about files are in ``case_artifacts``.
"""

from __future__ import annotations

import asyncio
import gc
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from case_files import Case
from case_run import answer_or_error, ask, build, converter_class, request, signature

SCRIPT = Path(__file__).with_name("cases.py")
SUM_TOLERANCE = 1e-6
"""Probabilities are sums of exponentials of float32 scores."""


@dataclass
class Scene:
    """A case, the model it uses, and a directory of its own."""

    case: Case
    model: str
    scratch: Path

    @property
    def procedure(self) -> Mapping[str, Any]:
        procedure: Mapping[str, Any] = self.case["procedure"]
        return procedure

    @property
    def items(self) -> list[Mapping[str, Any]]:
        return list(self.procedure["items"])

    @cached_property
    def artifact(self) -> Path:
        """The case's artifact, built once."""
        path = self.scratch / "artifact"
        build(self.case, self.model, path)
        return path

    def load(self, path: Path | None = None, **given: Any) -> Any:
        return converter_class().load_from_disk(str(path or self.artifact), **given)

    def expected(self) -> list[dict[str, Any]]:
        """What a converter loaded anew for each item alone answers."""
        return [answer_or_error(self.load(), item) for item in self.items]

    def script(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """This runner in a process of its own."""
        command = [sys.executable, str(SCRIPT), *arguments, "--model", self.model]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment)


def differences(what: str, got: Iterable[Any], wanted: Iterable[Any]) -> list[str]:
    return [
        f"{what}, item {index}: {str(one)[:150]} instead of {str(other)[:150]}"
        for index, (one, other) in enumerate(zip(got, wanted, strict=True))
        if one != other
    ][:3]


def sequence(scene: Scene) -> list[str]:
    wanted, converter = scene.expected(), scene.load()
    for round in range(scene.procedure.get("times", 1)):
        got = [answer_or_error(converter, item) for item in scene.items]
        if reasons := differences(f"round {round}", got, wanted):
            return reasons
    return []


def batch(scene: Scene) -> list[str]:
    converter = scene.load()
    texts = [item["utterance"] for item in scene.items]
    wanted = [signature(converter.convert(text)) for text in texts]
    got = [signature(result) for result in converter.convert_batch(texts)]
    return differences("batch", got, wanted) + differences("async", _gather(converter, texts), wanted)


def _gather(converter: Any, texts: list[str]) -> list[dict[str, Any]]:
    async def together() -> list[Any]:
        return list(await asyncio.gather(*(converter.aconvert(text) for text in texts)))

    return [signature(result) for result in asyncio.run(together())]


def two_processes(scene: Scene) -> list[str]:
    ran = [scene.script("--answers", scene.case["id"], PYTHONHASHSEED=seed) for seed in ("1", "4242")]
    texts = [process.communicate()[0] for process in ran]
    if any(process.returncode for process in ran):
        return [f"a process ended with {[process.returncode for process in ran]}"]
    return [] if texts[0] == texts[1] else [f"answers differ: {texts[0][:200]} | {texts[1][:200]}"]


def threads(scene: Scene) -> list[str]:
    procedure, converter = scene.procedure, scene.load()
    calls = procedure["calls"]
    texts = [procedure["template"].format(k=k) for k in range(procedure["threads"] * calls)]
    wanted = [signature(converter.convert(text)) for text in texts]

    def work(thread: int) -> list[dict[str, Any]]:
        own = texts[thread * calls : (thread + 1) * calls]
        return [signature(converter.convert(text)) for text in own]

    with ThreadPoolExecutor(procedure["threads"]) as pool:
        got = [answer for answers in pool.map(work, range(procedure["threads"])) for answer in answers]
    return differences("threads", got, wanted)


def asynchronous(scene: Scene) -> list[str]:
    converter = scene.load()
    texts = [scene.procedure["template"].format(k=k) for k in range(scene.procedure["calls"])]
    wanted = [signature(converter.convert(text)) for text in texts]
    return differences("async", _gather(converter, texts), wanted)


def memory(scene: Scene) -> list[str]:
    procedure, converter = scene.procedure, scene.load()

    def call(k: int) -> None:
        text, word = procedure["template"].format(k=k), procedure["word"].format(k=k)
        start = text.index(word)
        converter.convert(text, entities={procedure["slot_type"]: [(start, start + len(word))]})

    for k in range(procedure["warm_up"]):
        call(k)
    before = resident_mib()
    for k in range(procedure["calls"]):
        call(procedure["warm_up"] + k)
    return _growth(before, procedure["grow_mib"])


def reopen(scene: Scene) -> list[str]:
    before = math.inf
    for round in range(scene.procedure["times"]):
        converter = scene.load()
        converter.convert("find thing", entities={"item": [(5, 10)]})
        del converter
        if round == 2:  # the third: what is loaded once and kept is loaded by now
            before = resident_mib()
    return _growth(before, scene.procedure["grow_mib"])


def _growth(before: float, most: float) -> list[str]:
    grown = resident_mib() - before
    return [f"memory grew by {grown:.1f} MiB, at most {most} are allowed"] if grown > most else []


def resident_mib() -> float:
    """Resident memory of this process after a collection (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def scores(scene: Scene) -> list[str]:
    result = ask(scene.load(), scene.case)
    others = result.alternatives
    reasons = []
    if sorted((other.score for other in others), reverse=True) != [other.score for other in others]:
        reasons.append(f"scores are not sorted: {[other.score for other in others]}")
    texts = ["".join(call.to_json() for call in other.calls) for other in others]
    if len(set(texts)) != len(texts):
        reasons.append(f"answers repeat: {texts}")
    sums = {
        "confidences": math.fsum(other.confidence for other in others),
        "exp(scores)": math.fsum(math.exp(other.score) for other in others),
    }
    return reasons + [
        f"{name} add up to {total}" for name, total in sums.items() if total > 1 + SUM_TOLERANCE
    ]


def alias(scene: Scene) -> list[str]:
    converter, given = scene.load(), request(scene.case)
    one = converter.convert(scene.case["utterance"], **given)
    given["expections"] = given.pop("expectations")
    other = converter.convert(scene.case["utterance"], **given)
    return differences("expections=", [signature(other)], [signature(one)])


PROCEDURES: Mapping[str, Callable[[Scene], list[str]]] = {
    "sequence": sequence,
    "batch": batch,
    "two_processes": two_processes,
    "threads": threads,
    "async": asynchronous,
    "memory": memory,
    "reopen": reopen,
    "scores": scores,
    "alias": alias,
}
