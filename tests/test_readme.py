"""The README is true: its commands run, and what it shows is what they print.

Blocks run in order in one folder, as a reader would. ``# →`` in a Python block is what that
line prints; a text block after a command holds paragraphs of what the command prints.
``make`` itself is only asked what it would do: the tests run inside it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^print\(.*\)\s+# → (.*)$", re.MULTILINE)

pytestmark = pytest.mark.model


class Block(NamedTuple):
    language: str
    text: str
    shown: str
    """The text block that follows it, if one does."""


def blocks() -> Iterator[Block]:
    found = [(match[1], match[2]) for match in _BLOCK.finditer(README)]
    for (language, text), (after, shown) in zip(found, [*found[1:], ("", "")], strict=True):
        if language != "text":
            yield Block(language, text, shown if after == "text" else "")


@pytest.fixture(scope="module")
def place(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and, on the PATH, the command of this checkout."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "grammars").symlink_to(ROOT / "grammars")
    (folder / "bin").mkdir()
    command = folder / "bin" / "constrained-du"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m constrained_du "$@"\n')
    command.chmod(0o755)
    return folder


def _run(place: Path, *command: str) -> str:
    environment = os.environ | {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_python_blocks_print_what_they_show(place: Path) -> None:
    script = "\n".join(block.text for block in blocks() if block.language == "python")
    (place / "readme.py").write_text(script, encoding="utf-8")
    shown = _SHOWN.findall(script)
    assert len(shown) == script.count("# →") and shown
    assert _run(place, sys.executable, "readme.py").splitlines() == shown


COMMANDS = [block for block in blocks() if block.language == "bash"]


@pytest.mark.parametrize("block", COMMANDS, ids=lambda block: block.text.split("\n")[0])
def test_a_command_block_runs_and_prints_what_is_shown(place: Path, block: Block) -> None:
    if block.text.startswith("make "):
        (target,) = block.text.split()[1:]
        assert _run(place, "make", "--directory", str(ROOT), "--dry-run", target)
        printed = _run(place, "constrained-du", target) if block.shown else ""
    else:
        printed = _run(place, "bash", "-euo", "pipefail", "-c", block.text)
    for paragraph in filter(None, block.shown.split("\n\n")):
        assert paragraph.rstrip("\n") in printed


def test_every_make_target_and_command_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z]+)`", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_option_that_is_named_exists() -> None:
    told = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "constrained_du" / "cli").glob("*.py"))
    options = set(re.findall(r"(?<=[`(\s|])(--[a-z][a-z-]+)", README)) - {"--directory"}
    assert options and not sorted(option for option in options if f'"{option}"' not in told)


def test_every_link_to_a_file_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
