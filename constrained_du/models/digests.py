"""SHA-256 of large files, remembered so that loading a model does not read it twice.

The memory is ``digests.json`` in the cache folder, keyed by path and trusted only while
size, modification time, change time and inode are the same. It is a convenience: lost,
damaged or not writable, it costs time and nothing else. It must not know models.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import TypeAlias

from constrained_du.errors import ModelError
from constrained_du.models.model_source import home

_CHUNK = 1 << 20
_KEPT = 64  # files remembered; a person has a handful
_SETTLED = 2_000_000_000  # ns; a file changed so lately may change again within one tick of its clock

_Mark: TypeAlias = list[int]


def digest(path: Path) -> str:
    """Lower-case hex SHA-256 of the content; quick if taken before. ``ModelError`` if unreadable."""
    place = str(path.absolute())
    mark = _mark(path)
    entry = _remembered().get(place)
    if entry is not None and entry[:-1] == mark:
        return str(entry[-1])
    value = fresh_digest(path)
    if _mark(path) == mark and time.time_ns() - max(mark[1], mark[2]) > _SETTLED:
        remember(path, value)
    return value


def remember(path: Path, value: str) -> None:
    """Note a digest that the caller has just taken of a file that nobody is writing."""
    known = _remembered()
    known.pop(str(path.absolute()), None)
    known[str(path.absolute())] = [*_mark(path), value]
    _store(dict(list(known.items())[-_KEPT:]))


def fresh_digest(path: Path) -> str:
    """The same, always reading the file."""
    state = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                state.update(chunk)
    except OSError as error:
        raise ModelError(f"model file {str(path)!r} cannot be read ({error}) - check the path") from error
    return state.hexdigest()


def _mark(path: Path) -> _Mark:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise ModelError(f"model file {str(path)!r} cannot be read ({error}) - check the path") from error
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _memory() -> Path:
    return home() / "digests.json"


def _remembered() -> dict[str, list[int | str]]:
    try:
        raw = json.loads(_memory().read_text(encoding="utf-8"))
        return {
            place: [*(int(number) for number in found[:-1]), str(found[-1])]
            for place, found in raw.items()
            if len(found) == 5 and len(str(found[-1])) == 64
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _store(known: dict[str, list[int | str]]) -> None:
    try:
        _memory().parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".digests-", dir=_memory().parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(known, file, indent=0)
            os.replace(name, _memory())
        except BaseException:
            os.unlink(name)
            raise
    except OSError:
        return
