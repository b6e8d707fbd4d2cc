"""Imports only go down the floors of this table, and on one floor never in a circle.

A new module gets its place here; foreign packages that meet us in one place are listed below.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "constrained_du"

FLOORS: tuple[tuple[str, str], ...] = (
    ("values and failures", "errors types dispatch"),
    ("words and automata", "text patterns weights"),
    ("documents", "sources links gguf_files"),
    ("what is said", "recognizers"),
    ("specs", "specs"),
    ("grammars", "grammar"),
    ("what a model is asked", "decoding"),
    ("models", "llama remote models"),
    ("evidence about slots", "slots"),
    ("what a developer has said", "domain"),
    ("evidence about functions", "functions"),
    ("answers", "answers loading"),
    ("the disk and the API", "storage converter session __init__"),
    ("figures", "evaluation"),
    ("people and programs outside", "server cli __main__ mcp_bridge"),
)
"""What lives there, and its modules and packages; lower floors first."""

ONLY_IMPORTER = {
    "llama_cpp": {"llama"},
    "llguidance": {"decoding.matcher"},
    "matplotlib": {"evaluation.plots"},
    "click": {"cli"},
    "rich": {"cli", "evaluation.table", "evaluation.report"},
    "safetensors": {"gguf_files.bert_gguf"},
    "re2": {"recognizers.lists"},
    "rjieba": {"text.phrases"},
    "budoux": {"text.phrases"},
    "yaml": {"sources.yaml_text"},
    "pickle": set(),
    "torch": set(),
    "transformers": set(),
    "starlette": {"server"},
    "fastapi": {"server"},
    "uvicorn": {"server"},
    "mcp": {"mcp_bridge"},
    "httpx": {"remote"},
}
"""Foreign package → the modules (or packages) of ours that may import it."""

FLOOR = {name: floor for floor, (_, names) in enumerate(FLOORS) for name in names.split()}
FILES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@cache
def _imported(path: Path) -> tuple[str, ...]:
    """Dotted names of what a file imports, inside functions and type checks too."""
    return tuple(_names(path))


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import - write the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _own(imported: str) -> str | None:
    """The module or package of ours that an import names; ``__init__`` for what the package itself offers."""
    first, _, rest = imported.partition(".")
    if first != PACKAGE.name:
        return None
    unit = _unit(rest)
    return unit if unit in FLOOR or unit in FILES else "__init__"


def _unit(module: str) -> str:
    return module.partition(".")[0]


def _graph() -> dict[str, set[str]]:
    """For each module or package of ours those that it imports."""
    graph: dict[str, set[str]] = {}
    for module, path in FILES.items():
        found = {own for imported in _imported(path) if (own := _own(imported)) is not None}
        graph.setdefault(_unit(module), set()).update(found - {_unit(module)})
    return graph


GRAPH = _graph()


@pytest.mark.parametrize("unit", GRAPH)
def test_imports_only_go_down(unit: str) -> None:
    assert unit in FLOOR, f"{unit} has no place yet - give it one in FLOORS"
    above = sorted(used for used in GRAPH[unit] if FLOOR.get(used, len(FLOORS)) > FLOOR[unit])
    assert not above, f"{unit} imports {', '.join(above)}, which stands above it"


def test_imports_never_go_in_a_circle() -> None:
    graphlib.TopologicalSorter(GRAPH).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("foreign", ONLY_IMPORTER)
def test_a_foreign_package_is_met_in_one_place(foreign: str) -> None:
    allowed = ONLY_IMPORTER[foreign]
    for module, path in FILES.items():
        if foreign in map(_unit, _imported(path)):
            assert module in allowed or _unit(module) in allowed, f"{module} imports {foreign}"


def test_no_name_stands_twice_in_the_table() -> None:
    names = [name for _, names in FLOORS for name in names.split()]
    assert len(names) == len(set(names))
