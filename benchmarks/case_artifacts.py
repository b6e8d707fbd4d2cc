"""The longer tests about artifact and model files: damage, killing, foreign files."""

from __future__ import annotations

import json
import pickle
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from case_models import model_file, zero_model
from case_procedures import Scene, differences
from case_run import answer_or_error, build, converter_class, prepare

from constrained_du.errors import ArtifactError, ArtifactMismatchError, ModelError

KILL_AFTER = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97)
"""Moments of the kill, as shares of the time that finalize took undisturbed."""


def round_trip(scene: Scene) -> list[str]:
    path = scene.scratch / "a folder with blanks" / "アーティファクト é"
    path.parent.mkdir()
    before = prepare(scene.case, scene.model)
    before.finalize(str(path))
    wanted = _answers(scene, before)
    instance = converter_class()(scene.model)
    returned = instance.load_from_disk(str(path))
    loaded = {
        "class": converter_class().load_from_disk(str(path)),
        "instance": instance,
        "returned": returned or instance,
    }
    return [
        reason
        for how, converter in loaded.items()
        for reason in differences(f"load_from_disk on {how}", _answers(scene, converter), wanted)
    ]


def overwrite(scene: Scene) -> list[str]:
    wanted = _answers(scene, scene.load())
    again = prepare(scene.case, scene.model)
    reasons = []
    try:
        again.finalize(str(scene.artifact))
        reasons.append("a second finalize into the same directory does not raise")
    except ArtifactError:
        pass
    reasons += differences("after the refusal", _answers(scene, scene.load()), wanted)
    again.finalize(str(scene.artifact), overwrite=True)
    return reasons + differences("after overwrite=True", _answers(scene, scene.load()), wanted)


def damage(scene: Scene) -> list[str]:
    wanted = _answers(scene, scene.load())
    return [
        reason
        for file in _files(scene.artifact)
        for how, harm in _HARMS.items()
        for reason in _after(scene, file, harm, f"{file.relative_to(scene.artifact)} {how}", wanted)
    ]


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    if content:
        content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def _cut(share: Callable[[int], int]) -> Callable[[Path], None]:
    def cut(file: Path) -> None:
        content = file.read_bytes()
        file.write_bytes(content[: max(share(len(content)), 0)])

    return cut


def _to_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


_HARMS: Mapping[str, Callable[[Path], None]] = {
    "cut at 0": _cut(lambda size: 0),
    "cut at 1": _cut(lambda size: 1),
    "cut at half": _cut(lambda size: size // 2),
    "cut at size-1": _cut(lambda size: size - 1),
    "flipped": _flip,
    "removed": Path.unlink,
    "as a directory": _to_directory,
}


def newer_version(scene: Scene) -> list[str]:
    wanted = _answers(scene, scene.load())
    raised = [file for file in _files(scene.artifact) if _raise_version(file, dry=True)]
    if not raised:
        return ["no JSON file of the artifact has a version"]
    reasons = []
    for file in raised:
        reasons += _after(
            scene, file, _raise_version, f"{file.name} of a newer format", wanted, same_is_right=False
        )
    return reasons


def _raise_version(file: Path, dry: bool = False) -> bool:
    """Raises the format version in a JSON file; False if it has none."""
    try:
        content = json.loads(file.read_bytes())
    except ValueError:
        return False
    keys = (
        [key for key in content if "version" in key or "format" in key] if isinstance(content, dict) else []
    )
    keys = [key for key in keys if type(content[key]) is int]
    if keys and not dry:
        file.write_text(json.dumps(content | {key: content[key] + 1 for key in keys}), "utf-8")
    return bool(keys)


class _Act:
    """A pickle of this leaves a mark where it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return open, (str(self.mark), "w")


def pickled(scene: Scene) -> list[str]:
    wanted, mark = _answers(scene, scene.load()), scene.scratch / "acted"
    text = pickle.dumps(_Act(mark))
    reasons = []
    for file in _files(scene.artifact):
        reasons += _after(scene, file, lambda path: _write(path, text), f"{file.name} as a pickle", wanted)
    return reasons + (["the pickle was run"] if mark.exists() else [])


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def not_an_artifact(scene: Scene) -> list[str]:
    missing, empty, plain, foreign = (
        scene.scratch / name for name in ("missing", "empty", "plain", "foreign")
    )
    empty.mkdir()
    plain.write_text("hello")
    foreign.mkdir()
    (foreign / "notes.txt").write_text("hello")
    (foreign / "data.json").write_text("{}")
    reasons = []
    for path in (missing, empty, plain, foreign):
        try:
            scene.load(path)
            reasons.append(f"{path.name}: no error")
        except ArtifactError as error:
            if str(path) not in str(error):
                reasons.append(f"{path.name}: {error} does not name the path")
        except Exception as error:
            reasons.append(f"{path.name}: {type(error).__name__}: {error}")
    return reasons


def kill(scene: Scene) -> list[str]:
    wanted, whole = _answers(scene, scene.load()), _time_finalize(scene)
    reasons = []
    for index, share in enumerate(KILL_AFTER):
        path = scene.scratch / f"killed-{index}"
        process = scene.script("--finalize", scene.case["id"], str(path))
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(share * whole)
        process.kill()
        process.communicate()
        if path.exists():
            reasons += _loads_or_refuses(scene, path, f"killed after {share:.0%}", wanted)
    return reasons


def _time_finalize(scene: Scene) -> float:
    """Seconds from "start" to "done" of a process that is left alone."""
    process = scene.script("--finalize", scene.case["id"], str(scene.scratch / "undisturbed"))
    assert process.stdout is not None
    process.stdout.readline()
    start = time.perf_counter()
    process.stdout.readline()
    seconds = time.perf_counter() - start
    process.communicate()
    return seconds


def other_model(scene: Scene) -> list[str]:
    other = str(zero_model(scene.model, scene.scratch))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            converter = scene.load(model=other)
        except ArtifactMismatchError:
            return []
    fresh = build(scene.case, other, scene.scratch / "of the other")
    reasons = [] if warned else ["neither an error nor a warning"]
    return reasons + differences("the other model", _answers(scene, converter), _answers(scene, fresh))


def bad_model(scene: Scene) -> list[str]:
    reasons = []
    for path in _bad_files(scene):
        try:
            build(scene.case, str(path), scene.scratch / f"of {path.name}")
            reasons.append(f"{path.name}: no error")
        except ModelError as error:
            if str(path) not in str(error):
                reasons.append(f"{path.name}: {error} does not name the path")
        except Exception as error:
            reasons.append(f"{path.name}: {type(error).__name__}: {error}")
    return reasons


def _bad_files(scene: Scene) -> Iterator[Path]:
    good = model_file(scene.model).read_bytes()
    contents = {
        "empty.gguf": b"",
        "header.gguf": good[:64],
        "half.gguf": good[: len(good) // 2],
        "almost.gguf": good[:-1],
        "text.gguf": b"This is no model.\n" * 1000,
        "rubbish.gguf": b"GGUF" + bytes(range(1, 256)) * 4000,
    }
    yield scene.scratch / "missing.gguf"
    for name, content in contents.items():
        path = scene.scratch / name
        path.write_bytes(content)
        yield path
        path.unlink()


# ------------------------------------------------------------------ shared steps


def _answers(scene: Scene, converter: Any) -> list[dict[str, Any]]:
    return [answer_or_error(converter, item) for item in scene.items]


def _files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())


def _after(
    scene: Scene,
    file: Path,
    harm: Callable[[Path], Any],
    what: str,
    wanted: list[dict[str, Any]],
    same_is_right: bool = True,
) -> list[str]:
    """Harms one file, tries the artifact, and puts the file back."""
    with _put_back(file):
        harm(file)
        return _loads_or_refuses(scene, scene.artifact, what, wanted, same_is_right)


def _loads_or_refuses(
    scene: Scene, path: Path, what: str, wanted: list[dict[str, Any]], same_is_right: bool = True
) -> list[str]:
    """An ArtifactError or the very same answers; nothing else is right."""
    try:
        got = _answers(scene, scene.load(path))
    except ArtifactError:
        return []
    except Exception as error:
        return [f"{what}: {type(error).__name__}: {str(error)[:150]}"]
    return differences(what, got, wanted) if same_is_right else [f"{what}: no error"]


@contextmanager
def _put_back(file: Path) -> Iterator[None]:
    content = file.read_bytes()
    try:
        yield
    finally:
        if file.is_dir():
            shutil.rmtree(file)
        file.write_bytes(content)


ARTIFACT_PROCEDURES: Mapping[str, Callable[[Scene], list[str]]] = {
    "round_trip": round_trip,
    "overwrite": overwrite,
    "damage": damage,
    "not_an_artifact": not_an_artifact,
    "newer_version": newer_version,
    "pickle": pickled,
    "kill": kill,
    "other_model": other_model,
    "bad_model": bad_model,
}
