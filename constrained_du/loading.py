"""From the words of a user to a running model: settings, files, backends.

A model file is loaded once a process and shared by the converters that use it alike.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakValueDictionary

from constrained_du.decoding.generation import Generator
from constrained_du.errors import ArtifactError, InputError, ModelError
from constrained_du.llama import LlamaBackend, LlamaEmbedder
from constrained_du.models import models
from constrained_du.models.digests import digest as file_digest
from constrained_du.remote import Address, Serving, is_address, read_address, require_http
from constrained_du.types import JsonValue

AUTO = "auto"
DEFAULT_EMBEDDER = "all-minilm-l6-v2"
ANY_ADDRESS = "any address"
MAX_CONTEXT = 1 << 20  # tokens; no model that exists was made for more


class Named(Protocol):
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the constructor."""

    model: str | os.PathLike[str]
    embedder: str | os.PathLike[str] | None = AUTO
    strings: str = "verbatim"
    operators: bool = False
    caution: float | None = None
    decoder: str = "exact"
    threads: int | None = None
    gpu_layers: int = 0
    context: int = 3072

    def checked(self) -> Settings:
        """Raises InputError for an option that is none."""
        if not isinstance(self.model, str | os.PathLike):
            raise InputError(f"model is a name or a path, not {self.model!r}")
        if self.embedder is not None and not isinstance(self.embedder, str | os.PathLike):
            raise InputError(f"embedder is a name, a path or None, not {self.embedder!r}")
        if self.strings not in ("verbatim", "free"):
            raise InputError(f'strings is "verbatim" or "free", not {self.strings!r}')
        if self.decoder not in ("exact", "greedy"):
            raise InputError(f'decoder is "exact" or "greedy", not {self.decoder!r}')
        if not isinstance(self.operators, bool):
            raise InputError(f"operators is true or false, not {self.operators!r}")
        if self.caution is not None and (type(self.caution) not in (int, float) or not 0 <= self.caution <= 1):
            raise InputError(f"caution is a rate from 0 to 1, not {self.caution!r}")
        if self.threads is not None and (type(self.threads) is not int or self.threads < 1):
            raise InputError(f"threads is a whole number from 1, not {self.threads!r}")
        if type(self.gpu_layers) is not int or self.gpu_layers < -1:
            raise InputError(f"gpu_layers is a whole number from -1, not {self.gpu_layers!r}")
        if type(self.context) is not int or not 256 <= self.context <= MAX_CONTEXT:
            raise InputError(f"context is a whole number of tokens from 256 to {MAX_CONTEXT}, not {self.context!r}")
        return self._for_a_server() if is_address(self.model) else self

    def _for_a_server(self) -> Settings:
        """A model at an address decodes greedily, and says nothing that these options could use."""
        refused = {
            "embedder": self.embedder not in (AUTO, None), "operators": self.operators, "caution": self.caution is not None,
        }  # fmt: skip
        for option in (option for option, given in refused.items() if given):
            raise InputError(f"{option}={getattr(self, option)!r} has no effect on a model at an address - leave it out")
        return replace(self, embedder=None, decoder="greedy")

    @property
    def thread_count(self) -> int:
        """Cores of this process, at most four: more threads only wait for each other.

        ``CONSTRAINED_DU_THREADS`` overrides it, for machines whose cores are shared.
        """
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        shared = os.environ.get("CONSTRAINED_DU_THREADS", "")
        return self.threads or (int(shared) if shared.isdecimal() and int(shared) else max(1, min(4, cores)))

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "strings": self.strings, "operators": self.operators, "caution": self.caution, "decoder": self.decoder,
            "context": self.context,
        }  # fmt: skip

    @classmethod
    def from_json(
        cls,
        value: object,
        model: str | os.PathLike[str] | None,
        embedder: str | os.PathLike[str] | None,
        threads: int | None,
        gpu_layers: int,
        caution: float | None,
    ) -> Settings:
        if not isinstance(value, Mapping):
            raise ArtifactError("the artifact has no settings - finalize it again")
        stored: dict[str, Any] = {
            name: value[name] for name in ("strings", "operators", "caution", "decoder", "context") if name in value
        }
        try:
            cls("", None, **stored).checked()
        except InputError as problem:
            raise ArtifactError(f"the artifact's settings do not fit this version ({problem}) - finalize it again") from None
        if caution is not None:
            stored["caution"] = caution
        return cls(model or "", embedder, threads=threads, gpu_layers=gpu_layers, **stored).checked()

    def with_names(self, model: Named | None, embedder: Named | None) -> Settings:
        """The files that an artifact names, unless the caller named others."""
        chosen = self
        if not self.model and model is not None:
            chosen = replace(chosen, model=model.name)
        if self.embedder == AUTO:
            chosen = replace(chosen, embedder=None if embedder is None else embedder.name)
        return chosen.checked()


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that was found: what the user called it, and where it is."""

    name: str
    path: Path

    @property
    def place(self) -> str:
        return str(self.path)


def find_model(settings: Settings) -> ModelFile | Address:
    if isinstance(settings.model, str) and is_address(settings.model):
        require_http()
        return read_address(settings.model)
    return ModelFile(_name(settings.model), models.locate(settings.model))


def find_embedder(settings: Settings) -> ModelFile | None:
    """The embedder's file; None where none is wanted, or the default was not pulled."""
    if settings.embedder is None:
        return None
    if settings.embedder == AUTO:
        if models.pulled(DEFAULT_EMBEDDER) is None:
            return None
        return ModelFile(DEFAULT_EMBEDDER, models.locate(DEFAULT_EMBEDDER))
    return ModelFile(_name(settings.embedder), models.locate(settings.embedder))


def _name(model: str | os.PathLike[str]) -> str:
    text = os.fspath(model)
    return str(Path(text).resolve()) if os.path.exists(text) else text


def digest(file: ModelFile | Address) -> str:
    """Of the file's bytes. All addresses have one: what is compiled for them depends on no model."""
    return ANY_ADDRESS if isinstance(file, Address) else file_digest(file.path)


_lock = threading.Lock()
_backends: WeakValueDictionary[tuple[Any, ...], LlamaBackend] = WeakValueDictionary()
_embedders: WeakValueDictionary[tuple[Any, ...], LlamaEmbedder] = WeakValueDictionary()


def backend(file: ModelFile, settings: Settings) -> LlamaBackend:
    """A backend for the file, shared with whoever else runs it in the same way."""
    threads = _thread_count(file, settings)
    key = (file.path, digest(file), settings.context, threads, settings.gpu_layers)
    with _lock:
        found = _backends.get(key)
        if found is None:
            found = LlamaBackend(file.path, settings.context, threads, settings.gpu_layers)
            _backends[key] = found
        return found


def _thread_count(file: ModelFile, settings: Settings) -> int:
    """What the caller or the environment says, else what ``models pull --auto`` found for this model."""
    if settings.threads or os.environ.get("CONSTRAINED_DU_THREADS") or file.name not in models.registry():
        return settings.thread_count
    record = models.pulled(file.name)
    return record.threads if record is not None and record.threads else settings.thread_count


def generator(running: LlamaBackend, settings: Settings) -> Generator:
    """Free text takes the bytes that the grammar forces as they are; ``decoder="greedy"`` decodes as serving engines do."""
    if settings.decoder == "greedy":
        return Generator(running, fast_forward=False, start=running.served_start)
    return Generator(running)


def serving(address: Address, settings: Settings) -> Serving:
    return Serving(address, most=settings.context // 4)


def embedder(file: ModelFile | None, settings: Settings) -> LlamaEmbedder | None:
    if file is None:
        return None
    key = (file.path, digest(file), settings.gpu_layers)
    with _lock:
        found = _embedders.get(key)
        if found is None:
            found = LlamaEmbedder(file.path, gpu_layers=settings.gpu_layers)
            _embedders[key] = found
        return found


__all__ = [
    "AUTO", "Address", "ModelError", "ModelFile", "Settings", "backend", "digest", "embedder", "find_embedder", "find_model",
    "generator", "serving",
]  # fmt: skip
