"""What is shipped and what it stands on: the wheel's files, pinned versions, licences, no network."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from supply import CONSTRAINTS, LICENCES, ROOT, own

from constrained_du import __version__
from constrained_du.models import models

PACKAGE = ROOT / "constrained_du"


# -- the wheel ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was made from the sdist alone; offline."""
    out = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return out


ADAPTER = "adapters/smollm2-135m-instruct.gguf"
"""The one file of weights that is shipped."""


def package_files() -> set[str]:
    """What belongs into a wheel: all of the package that is neither made by running it nor a secret of somebody's."""
    return {
        path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }  # fmt: skip


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        meta = archive.read(f"constrained_du-{__version__}.dist-info/METADATA").decode()
    inside = {name for name in names if name.startswith("constrained_du/")}
    grammars = {f"constrained_du/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "grammars").rglob("*.json")}
    assert package_files() <= inside and grammars <= inside
    assert {"constrained_du/registry.toml", "constrained_du/py.typed"} <= inside
    others = names - inside
    assert others and all(name.startswith(f"constrained_du-{__version__}.dist-info/") for name in others), others
    assert [name for name in names if name.endswith((".gguf", ".pyc", ".bin", ".env"))] == [f"constrained_du/{ADAPTER}"]
    assert {name.rpartition("/")[2] for name in others} >= {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "LICENSE", "NOTICE"}
    assert "License-Expression: Apache-2.0 AND CC-BY-SA-4.0" in meta and f"Version: {__version__}\n" in meta


def test_the_sdist_holds_what_it_takes_to_test(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE", "LICENSES.md", "SECURITY.md", "constraints.txt", "Makefile"} <= names
    assert package_files() <= names and "tests/test_supply.py" in names and "models/registry.toml" in names
    assert [name for name in names if name.endswith((".gguf", ".pyc"))] == [f"models/{ADAPTER}"]


def test_the_wheel_runs_in_an_environment_of_its_own(built: Path, tmp_path: Path) -> None:
    """Installed without its dependencies, which are lent by this environment: only the package itself is new."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet", str(wheel)]
    subprocess.run([*command, "--disable-pip-version-check"], check=True)
    lent = {**os.environ, "PYTHONPATH": sysconfig.get_path("platlib"), "PYTHONSAFEPATH": "1"}
    where = "import constrained_du; print(constrained_du.__version__, constrained_du.__file__)"
    ran = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True, cwd=tmp_path, env=lent)
    assert ran.stdout.startswith(f"{__version__} {tmp_path}")
    listed = subprocess.run(
        [tmp_path / "env" / "bin" / "constrained-du", "models", "list"], capture_output=True, text=True, check=True, cwd=tmp_path, env=lent
    )
    assert all(name in listed.stdout for name in models.registry())


def test_every_file_is_python_3_10() -> None:
    folders = ("constrained_du", "tests", "benchmarks")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")) if "out" not in path.parts]
    assert len(files) > 200
    for path in files:
        ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 10))


# -- what it stands on ------------------------------------------------------------------------


def pins() -> dict[str, Version]:
    lines = (line.partition("==") for line in CONSTRAINTS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {name: Version(version) for name, _, version in lines}


def test_every_requirement_is_pinned_within_its_bounds_and_its_licence_listed() -> None:
    pinned, listed = pins(), LICENCES.read_text("utf-8")
    # Not for the tests, or not for every Python.
    optional = {"atheris", "guidance", "numba", "outlines", "peft", "tomli", "torch", "tqdm", "transformers", "constrained-du"}
    requirements = [Requirement(text) for text in own()]
    assert len(requirements) > 25 and len(pinned) > 80
    for requirement in requirements:
        name = canonicalize_name(requirement.name)
        if name in optional:
            continue
        assert name in pinned, f"{name} is not pinned - run benchmarks/supply.py"
        assert requirement.specifier.contains(pinned[name], prereleases=True), f"{requirement} and {pinned[name]}"
    for name, version in pinned.items():
        assert f"| {name} | {version} | " in listed, f"{name} {version} has no licence listed - run benchmarks/supply.py"
    assert "not stated" not in listed


def test_no_licence_forbids_to_ship() -> None:
    told = re.findall(r"^\| \S+ \| \S+ \| (.+) \|$", LICENCES.read_text("utf-8"), re.MULTILINE)
    assert len(told) > 80
    assert [text for text in told if re.search(r"\bA?GPL|General Public|Commercial|Proprietary", text)] == []


def test_every_download_is_pinned_by_its_digest() -> None:
    for entry in models.registry().values():
        for file in entry.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) and file.size > 0
            assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+|[\w.-]+/[\w.-]+@[0-9a-f]{40}", file.origin), file.origin


# -- no network -------------------------------------------------------------------------------

ALONE = """
import socket, sys
asked = []
def no_network(event, arguments):
    if event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6):
        asked.append(event)
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.bind", "socket.sendto"):
        asked.append(event)
    else:
        return
    raise OSError(101, "Network is unreachable")
sys.addaudithook(no_network)
import asyncio
from constrained_du import Converter
du = Converter().add_function_specs([{"name": "stop", "description": "Stop the music"}])
du.finalize(sys.argv[1])
du = Converter.load_from_disk(sys.argv[1])
print(du.convert("stop it please")[0].to_json(), asyncio.run(du.aconvert("stop it please"))[0].to_json(), asked)
"""


def test_nothing_asks_the_network_at_run_time(tmp_path: Path, model_path: Path) -> None:
    """In a network namespace without any interface where that is allowed; sockets are refused in any case."""
    apart = ["unshare", "-rn"] if shutil.which("unshare") else []
    if apart and subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        apart = []
    command = [*apart, sys.executable, "-c", ALONE, str(tmp_path / "artifact")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ['{"name":"stop","arguments":{}}'] * 2 + ["[]"]
