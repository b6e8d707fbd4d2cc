"""Writes ``grammar.gbnf``, ``.lark`` and ``.regex`` of every example domain anew.

``python grammars/regenerate.py [DOMAIN...]`` (or ``make grammars``). The grammar is that of
the answers to the utterance in ``utterance.txt``, as said at the domain's reference time.
No model is evaluated, so the bytes depend on the specs and on this package's code alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from constrained_du import Converter
from constrained_du.grammar.emit import to_gbnf, to_lark, to_regex

FOLDER = Path(__file__).resolve().parent
REFERENCE = datetime(2023, 7, 11, 9)  # a Tuesday; that of the scenarios


def domains() -> list[Path]:
    return sorted(path.parent for path in FOLDER.glob("*/utterance.txt"))


def written(domain: Path) -> Mapping[str, str]:
    """The domain's grammar files by name."""
    converter = Converter(embedder=None)
    converter.add_function_specs(domain / "specs.json").add_recognizers(domain / "recognizers.json")
    utterance = (domain / "utterance.txt").read_text(encoding="utf-8").strip()
    grammar = converter.grammar(utterance, now=REFERENCE)
    return {
        "grammar.gbnf": to_gbnf(grammar),
        "grammar.lark": to_lark(grammar),
        "grammar.regex": to_regex(grammar) + "\n",
    }


def main(names: list[str]) -> None:
    for domain in domains():
        if names and domain.name not in names:
            continue
        for name, text in written(domain).items():
            (domain / name).write_bytes(text.encode())
            print(f"{domain.name}/{name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
