"""Imports only go down: each module may use what stands before it in this table, and no more.

A new module gets its place here; foreign packages that meet us in one place are listed below.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "constrained_du"

FLOORS: tuple[tuple[str, str], ...] = (
    # what lives there: modules and packages, each of which may use those left of it and above
    ("values and failures", "errors types"),
    ("words and numbers", "words lexicon terms weights classifier search automata pattern_syntax patterns"),
    ("documents", "sources exemplars links"),
    ("what is said", "recognizers view"),
    ("specs and grammars", "schema schema_reader spec grammar surface productions emit"),
    ("binding and evidence", "candidates compile prompt matching evidence fillings domain sayable"),
    ("files of models", "gguf_parse gguf_header bert_gguf model_source digests"),
    ("tokens and models", "backend matcher llama models"),
    ("answers", "retrieval generation scoring loading engine requests"),
    ("the disk and the API", "artifact storage converter __init__"),
    ("figures", "evaluation plots"),
    ("people and programs outside", "server cli __main__"),
)

ONLY_IMPORTER = {
    "llama_cpp": {"llama"},
    "llguidance": {"matcher"},
    "matplotlib": {"plots"},
    "click": {"cli"},
    "rich": {"cli", "evaluation.table", "evaluation.report"},
    "safetensors": {"bert_gguf"},
    "re2": {"recognizers.lists"},
    "yaml": {"sources.yaml_text"},
    "pickle": set(),
    "torch": set(),
    "transformers": set(),
    "starlette": {"server"},
    "fastapi": {"server"},
    "uvicorn": {"server"},
}
"""Foreign package → the modules (or packages) of ours that may import it."""

ORDER = {name: place for place, name in enumerate(name for _, names in FLOORS for name in names.split())}
FILES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def _imported(path: Path) -> Iterator[str]:
    """Dotted names of what a file imports, inside functions and type checks too."""
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
    unit = rest.partition(".")[0]
    return unit if unit in ORDER or unit in FILES else "__init__"


def _unit(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize("module", FILES)
def test_a_module_imports_only_what_stands_below_it(module: str) -> None:
    unit = _unit(module)
    assert unit in ORDER, f"{unit} has no place yet - give it one in FLOORS"
    used = {own for imported in _imported(FILES[module]) if (own := _own(imported)) is not None} - {unit}
    above = sorted(own for own in used if ORDER.get(own, len(ORDER)) > ORDER[unit])
    assert not above, f"{module} imports {', '.join(above)}, which stands above it"


@pytest.mark.parametrize("foreign", ONLY_IMPORTER)
def test_a_foreign_package_is_met_in_one_place(foreign: str) -> None:
    importers = {
        module for module, path in FILES.items() if any(name.partition(".")[0] == foreign for name in _imported(path))
    }
    allowed = ONLY_IMPORTER[foreign]
    assert {module for module in importers if module not in allowed and _unit(module) not in allowed} == set()


def test_no_name_stands_twice_in_the_table() -> None:
    names = [name for _, names in FLOORS for name in names.split()]
    assert len(names) == len(set(names))
