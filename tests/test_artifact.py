"""An artifact on disk is whole, or it is an error: damage, failing writes, rivals, foreign places."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from scripted_world import scripted_world

from constrained_du import ArtifactError, ArtifactVersionError, Converter
from constrained_du.storage import artifact

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent / "constrained_du"
SPEC = {"name": "stop", "description": "Stop"}


def tiny(word: str = "old", size: int = 40) -> artifact.Artifact:
    return artifact.Artifact(
        {"settings": {"word": word}}, {"specs.json": [word]}, {"grammar.gbnf": f'root ::= "{word}"\n'},
        {"bias": np.arange(3.0)}, {"direct": bytes(range(size)), "generic": word.encode()},
    )  # fmt: skip


def content(place: Path) -> list[Any]:
    """All that is read from an artifact, comparable."""
    found = artifact.read(place)
    arrays = [(name, array.dtype.str, array.tobytes()) for name, array in found.arrays.items()]
    return [found.about, found.documents, found.texts, arrays, [(name, bytes(blob)) for name, blob in found.blobs.items()]]


def test_every_byte_flipped_or_cut_is_an_error_or_the_same(tmp_path: Path) -> None:
    place = tmp_path / "tiny"
    artifact.write(tiny(), place, overwrite=False)
    whole, refused, same = content(place), 0, 0
    for path in sorted(place.iterdir()):
        raw = path.read_bytes()
        flipped = (raw[:at] + bytes([raw[at] ^ mask]) + raw[at + 1 :] for at in range(len(raw)) for mask in (0x01, 0xFF))
        cut = (raw[:at] for at in range(len(raw)))
        for damaged in (*flipped, *cut):
            path.write_bytes(damaged)
            try:
                assert content(place) == whole, (path.name, damaged)
                same += 1
            except ArtifactError as problem:
                assert str(place) in str(problem) and " - " in str(problem)
                refused += 1
        path.write_bytes(raw)
    sizes = sum(path.stat().st_size for path in place.iterdir())
    assert refused + same == 3 * sizes and same < 200, "only blanks of the manifest may change"
    assert content(place) == whole


# -- a write that fails at every step ------------------------------------------------------


class Steps:
    """Counts what a write does to the disk; at step ``fatal`` it does half of it and then ``fails``."""

    def __init__(self, fatal: int, fails: Any) -> None:
        self.done, self.fatal, self._fails = 0, fatal, fails

    def take(self, half: Any = None) -> None:
        self.done += 1
        if self.done == self.fatal:
            if half is not None:
                half()
            self._fails()

    def counting(self, function: Any) -> Any:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.take()
            return function(*arguments, **named)

        return counted

    def opened(self, path: Any, mode: str = "r", **named: Any) -> Any:
        if "w" in mode:
            self.take()
        file = open(path, mode, **named)  # noqa: SIM115 - closed by whoever opened it
        return _Writing(file, self) if "w" in mode else file


class _Writing:
    def __init__(self, file: Any, steps: Steps) -> None:
        self._file, self._steps = file, steps

    def write(self, data: Any) -> int:
        self._steps.take(lambda: (self._file.write(data[: len(data) // 2]), self._file.flush()))
        return int(self._file.write(data))

    def __enter__(self) -> _Writing:
        return self

    def __exit__(self, *problem: Any) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def failing(fatal: int, fails: Any, swap: bool) -> Iterator[Steps]:
    steps = Steps(fatal, fails)
    with (
        patch.object(artifact, "open", steps.opened, create=True),
        patch.object(artifact.os, "fsync", steps.counting(os.fsync)),
        patch.object(artifact.os, "rename", steps.counting(os.rename)),
        patch.object(artifact.os, "chmod", steps.counting(os.chmod)),
        patch.object(artifact.tempfile, "mkdtemp", steps.counting(artifact.tempfile.mkdtemp)),
        patch.object(artifact, "_exchange", steps.counting(artifact._exchange) if swap else lambda one, other: False),
    ):
        yield steps


def full() -> None:
    raise OSError(ENOSPC, "No space left on device")


def interrupted() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("swap", [True, False], ids=["swapped", "moved aside"])
@pytest.mark.parametrize("fails", [full, interrupted])
@pytest.mark.parametrize("before", [True, False], ids=["over an old one", "where nothing was"])
def test_a_write_that_fails_at_any_step_leaves_what_was_there(tmp_path: Path, before: bool, fails: Any, swap: bool) -> None:
    kept = 0
    for fatal in range(1, 100):
        place = tmp_path / str(fatal) / "tiny"
        if before:
            artifact.write(tiny("old"), place, overwrite=False)
        error = ArtifactError if fails is full else KeyboardInterrupt
        with failing(fatal, fails, swap) as steps:
            try:
                artifact.write(tiny("new"), place, overwrite=True)
                assert steps.done < fatal or content(place) == content_of("new", tmp_path), "a failure that nobody noticed"
            except error as problem:
                assert fails is interrupted or ("No space" in str(problem) and str(place) in str(problem))
                kept += 1
        if place.exists():
            assert content(place) in (content_of("old", tmp_path), content_of("new", tmp_path))
            assert before or kept < fatal or content(place) == content_of("new", tmp_path)
        else:
            assert not before, "the old one is gone"
        assert [one.name for one in place.parent.iterdir() if one.name.startswith(".")] == [], "something is left over"
        artifact.write(tiny("next"), place, overwrite=True)
        if steps.done < fatal:
            break
    assert 15 < kept < 40


def content_of(word: str, folder: Path) -> list[Any]:
    place = folder / f"whole {word}"
    if not place.exists():
        artifact.write(tiny(word), place, overwrite=False)
    return content(place)


KILLED = """
import os, sys
from pathlib import Path
from test_artifact import artifact, content, content_of, failing, tiny
folder, swap = Path(sys.argv[1]), sys.argv[2] == "swap"
old, new, found = content_of("old", folder), content_of("new", folder), []
for fatal in range(1, 100):
    place = folder / str(fatal) / "tiny"
    artifact.write(tiny("old"), place, overwrite=False)
    child = os.fork()
    if not child:
        with failing(fatal, lambda: os._exit(9), swap):
            artifact.write(tiny("new"), place, overwrite=True)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found.append("none" if not place.exists() else "old" if content(place) == old else "new" if content(place) == new else "bad")
    artifact.write(tiny("new"), place, overwrite=True)
    assert content(place) == new
    if code == 0:
        break
print(*found)
"""


@pytest.mark.parametrize("swap", ["swap", "aside"])
def test_a_process_killed_at_any_step_leaves_a_whole_artifact(tmp_path: Path, swap: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), swap], capture_output=True, text=True, check=True, cwd=TESTS,
        env={**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"},
    )  # fmt: skip
    found = ran.stdout.split()
    assert len(found) > 15 and found[0] == "old" and found[-1] == "new" and "bad" not in found
    assert found.count("none") == (0 if swap == "swap" else 1), "none only between the two renames"


# -- rivals ---------------------------------------------------------------------------------


def test_two_writers_and_a_reader_at_once_never_see_a_mixture(tmp_path: Path) -> None:
    place = tmp_path / "tiny"
    artifact.write(tiny("0"), place, overwrite=False)
    words = [str(number) for number in range(8)]
    whole = [content_of(word, tmp_path) for word in words]

    def work(number: int) -> int:
        read = 0
        for _ in range(25):
            if number % 2:
                artifact.write(tiny(words[number]), place, overwrite=True)
            else:
                try:
                    assert content(place) in whole
                    read += 1
                except ArtifactError:
                    continue  # files of two artifacts: seen by their digests
        return read

    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(work, range(8)))
    assert sum(read) > 0 and content(place) in whole
    assert [one for one in tmp_path.iterdir() if one.name.startswith(".tiny")] == []


def test_of_many_who_write_where_nothing_was_one_wins(tmp_path: Path) -> None:
    def work(number: int) -> bool:
        try:
            artifact.write(tiny(str(number)), tmp_path / "tiny", overwrite=False)
        except ArtifactError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(work, range(16)))
    assert won.count(True) == 1
    assert artifact.read(tmp_path / "tiny").documents["specs.json"] == [str(won.index(True))]


# -- places ---------------------------------------------------------------------------------


def compiled(place: Path) -> None:
    Converter("scripted").add_function_specs([SPEC]).finalize(place)


def test_a_moved_folder_is_the_same_artifact(tmp_path: Path) -> None:
    with scripted_world():
        compiled(tmp_path / "here")
        before = Converter.load_from_disk(tmp_path / "here").convert("stop it").alternatives
        (tmp_path / "a b").mkdir()
        shutil.move(tmp_path / "here", tmp_path / "a b" / "thére")
        assert Converter.load_from_disk(tmp_path / "a b" / "thére").convert("stop it").alternatives == before
        os.symlink(tmp_path / "a b" / "thére", tmp_path / "link")
        assert Converter.load_from_disk(tmp_path / "link").convert("stop it").alternatives == before


@pytest.mark.parametrize("number", [0, -1, 2, 10**20])
def test_another_format_is_told_by_its_number(tmp_path: Path, number: int) -> None:
    artifact.write(tiny(), tmp_path / "tiny", overwrite=False)
    path = tmp_path / "tiny" / "manifest.json"
    manifest = {**json.loads(path.read_bytes()), "format": number}
    path.write_text(json.dumps({**manifest, "digest": artifact._manifest_digest(manifest)}))
    with pytest.raises(ArtifactVersionError, match=f"format {number}, this version reads 1 - finalize it again"):
        artifact.read(tmp_path / "tiny")


READ_ONLY = """
import os, sys
from errno import EROFS
from constrained_du import ArtifactError, Converter
du = Converter(embedder=None).add_function_specs([{"name": "stop", "description": "Stop the music"}])
du.finalize(sys.argv[1])
wanted, refused = repr(du.convert("stop it").alternatives), []
def no_writing(event, arguments):
    path = os.fspath(arguments[0]) if arguments and isinstance(arguments[0], (str, os.PathLike)) else ""
    writes = event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "shutil.rmtree")
    if event == "open":
        writes = isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if writes and not path.startswith("/dev/"):
        refused.append(event)
        raise OSError(EROFS, "Read-only file system", path)
sys.addaudithook(no_writing)
du = Converter.load_from_disk(sys.argv[1])
assert repr(du.convert("stop it").alternatives) == wanted
try:
    du.finalize(sys.argv[1], overwrite=True)
except ArtifactError as problem:
    print(problem)
assert refused
"""


def test_read_only_media_are_enough_to_answer(tmp_path: Path, model_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", READ_ONLY, str(tmp_path / "a")], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "cannot be written" in ran.stdout and "Read-only file system" in ran.stdout


# -- nothing that acts ------------------------------------------------------------------------

FORBIDDEN = {"jinja2", "pickle", "cPickle", "dill", "marshal", "shelve", "joblib", "cloudpickle"}
ACTING = {"eval", "exec", "compile", "__import__"}


def test_no_file_of_the_package_runs_what_it_reads() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 100
    for path in files:
        text = path.read_text("utf-8")
        assert "llama_chat_apply_template" not in text, "a model file's chat template is data"
        for node in ast.walk(ast.parse(text)):
            where = f"{path.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
                assert not FORBIDDEN & {name.partition(".")[0] for name in names}, where
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                assert name not in ACTING, where
                dotted = ast.unparse(node.func)
                assert dotted not in ("os.system", "os.popen", "yaml.load", "yaml.unsafe_load"), where
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                assert given.get("allow_pickle", "False") == "False" and given.get("shell", "False") == "False", where
                assert dotted != "np.load" or "allow_pickle" in given, where
