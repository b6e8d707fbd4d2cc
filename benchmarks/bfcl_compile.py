"""Compiles every function of BFCL to a grammar, and names those that are refused.

``python benchmarks/bfcl_compile.py [--data DIR]``: no model is needed.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from constrained_du import ConstrainedDuError
from constrained_du.evaluation import read_lines
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf, to_lark
from constrained_du.grammar.grammar import Grammar
from constrained_du.specs.spec import read_specs


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    file = parser.parse_args(arguments).data / "bfcl" / "dev.jsonl"
    if not file.is_file():
        print(f"no {file} - give the folder of the sets with --data", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for line in read_lines(file):
        for spec in line.specs or ():
            counts["functions"] += 1
            try:
                functions = read_specs([spec])
                binder = Binder(line.utterance)
                grammar = Grammar(tuple(map(binder.bind, functions)))
                counts["bytes of grammar"] += len(to_gbnf(grammar)) + len(to_lark(grammar))
            except ConstrainedDuError as error:
                counts["refused"] += 1
                print(f"{line.id}: {json.dumps(spec)[:90]}… {type(error).__name__}: {error}")
    print(f"{counts['functions']} functions, {counts['refused']} refused")
    return 1 if counts["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
