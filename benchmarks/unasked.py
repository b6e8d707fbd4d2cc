"""Whether anything is done that nobody asked for: utterances that speak of a deed and forbid it, tell of it, ask about it, make
it depend on something or take it back, and others that look like these and ask for it all the same.

    python benchmarks/unasked.py [--probes FILE] [--kinds KIND …] [--most N] [--wrong]

Reads ``unasked/probes.jsonl`` (the domains are those of ``everyday/``) and prints a row for each kind: how many answers are
right, how many lack what the function requires or only tell something (harmless), and how many would have done, or
taken for a value, what was not said; ``--wrong`` prints these.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package beside, where none is installed

from constrained_du import Converter
from constrained_du.specs.schema import same_json
from constrained_du.types import Result

HERE = Path(__file__).resolve().parent
VERDICTS = ("right", "harmless", "refused", "wrong")


def made(domain: str) -> Converter:
    folder = HERE / "everyday" / domain
    return Converter().add_function_specs(folder / "functions.json").add_exemplars(folder / "exemplars-5.json").finalize()


def verdict(du: Converter, probe: Mapping[str, Any], result: Result) -> str:
    """One of VERDICTS; ``refused`` where a call was asked for."""
    call = result.calls[0]
    if not result.understood:
        return "right" if probe["may_refuse"] else "refused"
    if call.name in probe.get("harmless", ()):
        return "right"
    if any(wanted["name"] == call.name and same_json(wanted["arguments"], dict(call.arguments)) for wanted in probe["calls"]):
        return "right"
    does = du.domain.deeds[du.domain.index[call.name]].is_one
    return "harmless" if call.missing or not does else "wrong"


def judged(probes: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Result, str]]:
    by_domain: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for probe in probes:
        by_domain[probe["domain"]].append(probe)
    for domain, own in by_domain.items():
        du = made(domain)
        for probe in own:
            result = du.convert(probe["utterance"], now=datetime.fromisoformat(probe["now"]))
            yield probe, result, verdict(du, probe, result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probes", type=Path, default=HERE / "unasked" / "probes.jsonl")
    parser.add_argument("--kinds", nargs="*", default=(), help="those of these kinds only")
    parser.add_argument("--most", type=int, help="probes at most")
    parser.add_argument("--wrong", action="store_true", help="print the wrong ones")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    probes = [json.loads(line) for line in chosen.probes.read_text(encoding="utf-8").splitlines()]
    probes = [probe for probe in probes if not chosen.kinds or probe["kind"] in chosen.kinds][: chosen.most]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for probe, result, found in judged(probes):
        counts[probe["kind"]][found] += 1
        if chosen.wrong and found in ("wrong", "refused"):
            print(f"{found} {probe['kind']} {probe['domain']} {probe['utterance']!r}: {result.calls[0].to_json()}", flush=True)
    print(f"| kind | probes | {' | '.join(VERDICTS)} |\n|---|---{'|---' * len(VERDICTS)}|")
    for kind, own in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        print(f"| {kind} | {own.total()} | {' | '.join(str(own[name]) for name in VERDICTS)} |")


if __name__ == "__main__":
    main()
