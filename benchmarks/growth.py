"""How compiling grows: grammars of more and more functions and values, in time and memory.

``python benchmarks/growth.py``: no model and no data are needed. CPU time, so that other work matters little.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf, to_lark
from constrained_du.grammar.grammar import Grammar
from constrained_du.specs.spec import read_specs

UTTERANCE = "please order product 00417 for Kim in Oslo tomorrow"


def values(count: int) -> int:
    """Bytes of grammar for one list of so many values."""
    properties = {"item": {"enum": [f"Product {n:05d}" for n in range(count)]}}
    return _size([{"name": "order", "parameters": {"properties": properties}}])


def functions(count: int) -> int:
    """Bytes of grammar for so many functions of two slots."""
    properties = {"what": {"type": "string"}, "size": {"enum": ["small", "large"]}}
    return _size([{"name": f"tool_{n:05d}", "parameters": {"properties": properties}} for n in range(count)])


def _size(specs: list[dict[str, object]]) -> int:
    binder = Binder(UTTERANCE)
    grammar = Grammar(tuple(map(binder.bind, read_specs(specs))))
    return len(to_gbnf(grammar)) + len(to_lark(grammar))


def row(what: str, make: Callable[[int], int], count: int) -> str:
    started = time.process_time()
    size = make(count)
    seconds = time.process_time() - started
    tracemalloc.start()
    make(count)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"| {what} | {count} | {seconds * 1e3:.0f} ms | {seconds * 1e6 / count:.0f} µs | {peak / 1024:.0f} KiB | {size} |"


if __name__ == "__main__":
    print("| what | count | CPU | each | peak memory | bytes of grammar |\n|---|---|---|---|---|---|")
    for count in (10, 100, 1_000, 10_000, 50_000):
        print(row("values of one slot", values, count), flush=True)
    for count in (10, 100, 1_000):
        print(row("functions", functions, count), flush=True)
