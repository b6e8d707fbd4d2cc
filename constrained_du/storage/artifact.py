"""The compiled domain on disk: one directory, written atomically, every byte checked.

``manifest.json`` holds the format, the digests of the model and of every other file, and the
settings; beside it the specs, exemplars and recognizers as JSON, grammars to read, arrays
and prefix states. No pickle. Knows bytes and digests; nothing of what they mean.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import mmap
import os
import shutil
import struct
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.errors import ArtifactError, ArtifactVersionError
from constrained_du.types import JsonValue

FORMAT = 1
MANIFEST = "manifest.json"
ARRAYS = "arrays.npz"
STATES = "states.bin"
PART = 1 << 20  # bytes of the states whose digest is taken at a time
_REPAIR = "finalize it again"


@dataclass(frozen=True)
class Artifact:
    """What is stored: JSON documents, texts, arrays and named blobs."""

    about: Mapping[str, JsonValue]
    documents: Mapping[str, JsonValue] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    blobs: Mapping[str, memoryview | bytes] = field(default_factory=dict)


def write(artifact: Artifact, target: Path, overwrite: bool) -> None:
    """Writes beside the target and renames: the target is whole, or as it was.

    Raises ArtifactError when the target exists (unless ``overwrite``, and then only an
    artifact is replaced) or cannot be written.
    """
    if target.exists() and not overwrite:
        raise ArtifactError(f"{target} exists - choose another directory or pass overwrite=True")
    if target.exists() and not (target / MANIFEST).is_file() and (not target.is_dir() or any(target.iterdir())):
        raise ArtifactError(f"{target} is no artifact, so it is not overwritten - choose another directory")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent))
    except OSError as problem:
        raise ArtifactError(f"{target} cannot be written: {problem}") from None
    try:
        _fill(artifact, staging)
        _replace(staging, target, overwrite)
    except OSError as problem:
        raise ArtifactError(f"{target} cannot be written: {problem}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _fill(artifact: Artifact, directory: Path) -> None:
    files: dict[str, bytes] = {}
    for name, document in artifact.documents.items():
        files[name] = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
    for name, text in artifact.texts.items():
        files[name] = text.encode()
    files[ARRAYS] = _packed(artifact.arrays)
    layout: dict[str, list[int]] = {}
    at = 0
    for name, blob in artifact.blobs.items():
        layout[name] = [at, len(blob)]
        at += len(blob)
    digest = sha256()
    with open(directory / STATES, "wb") as file:
        for blob in artifact.blobs.values():
            digest.update(blob)
            file.write(blob)
        _sync(file)
    digests = {STATES: digest.hexdigest()}
    for name, data in files.items():
        with open(directory / name, "wb") as file:
            file.write(data)
            _sync(file)
        digests[name] = sha256(data).hexdigest()
    manifest: dict[str, JsonValue] = {"format": FORMAT, **artifact.about, "layout": layout, "files": digests}
    manifest["digest"] = _manifest_digest(manifest)
    with open(directory / MANIFEST, "w", encoding="utf-8") as text_file:
        text_file.write(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
        text_file.flush()
        os.fsync(text_file.fileno())
    _sync_directory(directory)


def _sync(file: io.BufferedWriter) -> None:
    file.flush()
    os.fsync(file.fileno())


def _replace(staging: Path, target: Path, overwrite: bool) -> None:
    """Puts the new directory in the place of the old one, at one stroke where the system can do that."""
    os.chmod(staging, 0o755)
    if not overwrite or not target.exists():
        os.rename(staging, target)  # fails if another writer was quicker
    elif not _exchange(staging, target):  # else the old one is where the new one was, and goes with it
        _step_aside(staging, target)
    _sync_directory(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Two directories swapped atomically; False where that is not to be had."""
    if sys.platform != "linux":
        return False
    swap = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    here, exchanging = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return swap is not None and swap(here, os.fsencode(one), here, os.fsencode(other), exchanging) == 0


def _step_aside(staging: Path, target: Path) -> None:
    """The old one is moved away first; a process killed in between leaves it beside, and no target."""
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    try:
        os.rename(target, aside / "artifact")
        os.rename(staging, target)
    except BaseException:
        if not target.exists():
            os.rename(aside / "artifact", target)
        raise
    finally:
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _sync_directory(directory: Path) -> None:
    """What was renamed in it outlives a loss of power, where the system can promise that."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read(directory: Path) -> Artifact:
    """Reads and checks everything; the states stay on disk until they are used."""
    manifest = _manifest(directory)
    files: dict[str, str] = manifest["files"]
    data = {name: _checked(directory, name, digest) for name, digest in files.items() if name != STATES}
    states = _mapped(directory / STATES, files.get(STATES))
    try:
        documents = {name: json.loads(raw) for name, raw in data.items() if name.endswith(".json")}
        texts = {name: raw.decode() for name, raw in data.items() if name.endswith((".gbnf", ".lark", ".regex"))}
    except (ValueError, RecursionError) as problem:
        raise ArtifactError(f"{directory} holds a document that cannot be read ({problem}) - {_REPAIR}") from None
    arrays = _unpacked(directory, data[ARRAYS])
    about = {k: v for k, v in manifest.items() if k not in ("files", "layout", "digest", "format")}
    return Artifact(about, documents, texts, arrays, _cut(directory, states, manifest["layout"]))


def _manifest(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ArtifactError(f"{directory} holds no artifact: {MANIFEST} is missing - {_REPAIR}") from None
    except (OSError, ValueError, RecursionError) as problem:
        raise ArtifactError(f"{path} cannot be read ({problem}) - {_REPAIR}") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise ArtifactError(f"{path} is no manifest of an artifact - {_REPAIR}")
    if manifest["format"] != FORMAT:
        raise ArtifactVersionError(
            f"{directory} is written in format {manifest['format']}, this version reads {FORMAT} - {_REPAIR}"
        )
    if manifest.get("digest") != _manifest_digest(manifest):
        raise ArtifactError(f"{path} is damaged: its digest does not fit - {_REPAIR}")
    files, layout = manifest.get("files"), manifest.get("layout")
    if not isinstance(files, dict) or not isinstance(layout, dict) or ARRAYS not in files:
        raise ArtifactError(f"{path} does not say which files there are - {_REPAIR}")
    return manifest


def _manifest_digest(manifest: Mapping[str, Any]) -> str:
    plain = {k: v for k, v in manifest.items() if k != "digest"}
    try:
        return sha256(json.dumps(plain, ensure_ascii=True, sort_keys=True).encode()).hexdigest()
    except RecursionError:  # nested so deeply: none of ours
        return ""


def _checked(directory: Path, name: str, digest: object) -> bytes:
    path = directory / name
    try:
        if path.parent != directory:
            raise ArtifactError(f"{path} lies outside the artifact - {_REPAIR}")
        data = path.read_bytes()
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise ArtifactError(f"{path} cannot be read ({problem}) - {_REPAIR}") from None
    if sha256(data).hexdigest() != digest:
        raise ArtifactError(f"{path} is damaged: its digest does not fit - {_REPAIR}")
    return data


def _mapped(path: Path, digest: object) -> memoryview:
    try:
        with open(path, "rb") as file:
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else None
    except (OSError, ValueError) as problem:
        raise ArtifactError(f"{path} cannot be read ({problem}) - {_REPAIR}") from None
    if _digest_of(pages) != digest:
        raise ArtifactError(f"{path} is damaged: its digest does not fit - {_REPAIR}")
    return memoryview(b"" if pages is None else pages)


def _digest_of(pages: mmap.mmap | None) -> str:
    """Part by part, each given back to the system: what is read here is not yet needed in memory."""
    state = sha256()
    for start in range(0, 0 if pages is None else len(pages), PART):
        assert pages is not None
        state.update(pages[start : start + PART])
        if hasattr(pages, "madvise"):  # not on Windows
            pages.madvise(mmap.MADV_DONTNEED, start, min(PART, len(pages) - start))
    return state.hexdigest()


def _cut(directory: Path, states: memoryview, layout: Mapping[str, Any]) -> dict[str, memoryview]:
    """The named pieces of the states; each place is within the file."""
    pieces: dict[str, memoryview] = {}
    for name, place in layout.items():
        whole = isinstance(place, list) and len(place) == 2 and all(type(number) is int for number in place)
        if not whole or not 0 <= place[0] <= place[0] + place[1] <= len(states):
            raise ArtifactError(f"{directory / MANIFEST} places {name!r} outside {STATES} - {_REPAIR}")
        pieces[name] = states[place[0] : place[0] + place[1]]
    return pieces


def _packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """An ``.npz`` with fixed dates, so that equal arrays are equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue())
    return buffer.getvalue()


def _unpacked(directory: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` as it is written here: nothing packed, so nothing larger than the file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            plain = all(one.compress_type == zipfile.ZIP_STORED and not one.flag_bits & 1 for one in archive.infolist())
            if not plain or sum(one.file_size for one in archive.infolist()) > len(data):
                raise ValueError("an array is packed")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, KeyError, EOFError, TypeError, SyntaxError, MemoryError, OverflowError, RecursionError,
            NotImplementedError, zipfile.BadZipFile, struct.error) as problem:  # fmt: skip
        raise ArtifactError(f"{directory / ARRAYS} cannot be read ({problem}) - {_REPAIR}") from None
