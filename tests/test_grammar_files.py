"""The grammar files beside the example domains are what the specs compile to, byte for byte."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"
DOMAINS = sorted(path.parent.name for path in GRAMMARS.glob("*/specs.json"))


@pytest.fixture(scope="module")
def regenerate(model_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("regenerate", GRAMMARS / "regenerate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.model
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_files_are_those_that_make_grammars_writes(regenerate: ModuleType, domain: str) -> None:
    for name, text in regenerate.written(GRAMMARS / domain).items():
        file = GRAMMARS / domain / name
        assert file.read_bytes() == text.encode(), f"{domain}/{name} is not of today - run `make grammars`"
