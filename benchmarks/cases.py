"""Runs the case files against the package and says what is not right.

    python benchmarks/cases.py [--cases DIR] [--check D|M|S] [--id PREFIX] [--model M] [--json OUT]

Exit code: 0 if every ``D`` and ``S`` case is right (``M`` is a rate), 1 if not, 2 if
there are no cases to run. ``inside`` cases are for tests inside the package; they
are listed, not counted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # the package beside, where none is installed

from case_files import DEFAULT_FOLDER, Case, read_cases, write_out
from case_run import answer_or_error, build, prepare
from case_workers import Crew, Verdict, serve

DEFAULT_MODEL = "smollm2-135m-instruct"


def main() -> int:
    options = _parser().parse_args()
    if not options.cases.is_dir():
        print(f"no case files: {options.cases} is not a directory - give --cases DIR", file=sys.stderr)
        return 2
    cases = read_cases(options.cases)
    if options.serve:
        serve(cases, options.model, options.serve)
        return 0
    if options.answers:
        return _print_answers(_by_id(cases, options.answers), options.model)
    if options.finalize:
        return _finalize(_by_id(cases, options.finalize[0]), options.model, options.finalize[1])
    chosen = [
        case for case in cases if case["id"].startswith(options.id) and options.check in ("", case["check"])
    ]
    if not chosen:
        print(f"no case of {len(cases)} has that id and check", file=sys.stderr)
        return 2
    verdicts = _run(chosen, options.cases, options.model)
    if options.json:
        rows = [asdict(verdict) for verdict in verdicts]
        options.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return _summary(verdicts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Runs the case files against the package.")
    parser.add_argument("--cases", type=Path, default=DEFAULT_FOLDER, metavar="DIR")
    parser.add_argument("--check", choices=("D", "M", "S"), default="")
    parser.add_argument("--id", default="", metavar="PREFIX")
    parser.add_argument("--model", default=DEFAULT_MODEL, metavar="M", help="a registry name or a GGUF file")
    parser.add_argument("--json", type=Path, metavar="OUT")
    for own in ("--serve", "--answers"):
        parser.add_argument(own, type=Path if own == "--serve" else str, help=argparse.SUPPRESS)
    parser.add_argument("--finalize", nargs=2, help=argparse.SUPPRESS)
    return parser


def _run(cases: Sequence[Case], folder: Path, model: str) -> list[Verdict]:
    """All verdicts; failures are printed as they come, progress on stderr."""
    scratch = Path(tempfile.mkdtemp(prefix="cases-"))
    crew = Crew(folder, model, scratch)
    verdicts = []
    try:
        for done, case in enumerate(cases, 1):
            verdict = crew.examine(case)
            verdicts.append(verdict)
            _show(verdict, case)
            if sys.stderr.isatty():
                print(f"\r{done}/{len(cases)} {case['id']:12}", end="", file=sys.stderr, flush=True)
        for reason in crew.close():
            verdicts.append(Verdict("(end of the shared process)", "S", "wrong", (reason,)))
            print(f"WRONG S (end of the shared process): {reason}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return verdicts


def _show(verdict: Verdict, case: Case) -> None:
    if verdict.status == "wrong":
        more = f" (and {len(verdict.reasons) - 1} more)" if len(verdict.reasons) > 1 else ""
        print(f"WRONG {verdict.check} {verdict.id} {case['title']}: {verdict.reasons[0]}{more}", flush=True)


def _summary(verdicts: Sequence[Verdict]) -> int:
    inside = [verdict.id for verdict in verdicts if verdict.status == "inside"]
    if inside:
        print(f"inside (for tests inside the package, not counted): {', '.join(inside)}")
    for check in "DMS":
        counted = [verdict for verdict in verdicts if verdict.check == check and verdict.status != "inside"]
        if counted:
            right = sum(verdict.status == "right" for verdict in counted)
            print(f"{check}: {right} of {len(counted)} right ({right / len(counted):.1%})")
    return int(any(verdict.status == "wrong" and verdict.check != "M" for verdict in verdicts))


def _by_id(cases: Sequence[Case], id: str) -> Case:
    (case,) = [write_out(case) for case in cases if case["id"] == id]
    return dict(case)


def _print_answers(case: Case, model: str) -> int:
    """For ``two_processes``: built, asked and printed by a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        converter = build(case, model, Path(scratch) / "artifact")
        print(json.dumps([answer_or_error(converter, item) for item in case["procedure"]["items"]]))
    return 0


def _finalize(case: Case, model: str, path: str) -> int:
    """For ``kill``: says when finalize begins and when it is done."""
    converter = prepare(case, model)
    print("start", flush=True)
    converter.finalize(path)
    print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
