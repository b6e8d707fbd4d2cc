"""Sets of functions, compiled: those of a request or an editor, made once and kept for a while.

A set is known by the digest of its documents and settings. Blocking; callers are threads.
"""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, fields
from hashlib import sha256
from time import perf_counter
from typing import Any

from constrained_du.converter import Converter
from constrained_du.loading import Settings
from constrained_du.recognizers.lists import Recognizer, read_recognizers
from constrained_du.server.options import Limits
from constrained_du.specs.spec import SpecWarning
from constrained_du.types import JsonValue, compact_json


@dataclass(frozen=True, slots=True)
class Documents:
    """What a developer says of a domain, as JSON values (never paths)."""

    specs: JsonValue
    exemplars: JsonValue = field(default_factory=list)
    recognizers: JsonValue = field(default_factory=dict)

    def digest(self, settings: Settings) -> str:
        run = [str(getattr(settings, option.name)) for option in fields(settings)]
        written = compact_json([self.specs, self.exemplars, self.recognizers, run])
        return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Compiled:
    """A converter that is ready, and what it was made from."""

    digest: str
    converter: Converter
    documents: Documents
    recognizers: Mapping[str, Recognizer]
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0


_one_at_a_time = threading.Lock()
"""Compiling holds the model, and collecting warnings is for one thread only."""


def compiled(documents: Documents, settings: Settings) -> Compiled:
    """Compiles documents with the model of ``settings``; raises what the converter raises."""
    started = perf_counter()
    with _one_at_a_time, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SpecWarning)
        converter = Converter(**{option.name: getattr(settings, option.name) for option in fields(settings)})
        converter.add_function_specs(documents.specs)
        if documents.exemplars:
            converter.add_exemplars(documents.exemplars)
        recognizers = _recognizers(converter, documents.recognizers)
        converter.finalize()
    told = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    digest, seconds = documents.digest(settings), perf_counter() - started
    return Compiled(digest, converter, documents, recognizers, told, seconds)


def _recognizers(converter: Converter, document: JsonValue) -> Mapping[str, Recognizer]:
    if not document:
        return {}
    converter.add_recognizers(document)
    return read_recognizers(document)[0]


class Shelf:
    """Compiled sets, the most recently used ones; each is made by one thread, whoever asks."""

    def __init__(self, limits: Limits) -> None:
        self._sets, self._functions = limits.kept_sets, limits.kept_functions
        self._kept: OrderedDict[str, Compiled] = OrderedDict()
        self._coming: dict[str, Future[Compiled]] = {}
        self._lock = threading.Lock()

    def find(self, digest: str) -> Compiled | None:
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
            return self._kept.get(digest)

    def get(self, documents: Documents, settings: Settings) -> Compiled:
        """The set from the shelf, or compiled now; a failure is raised for all who wait, and not kept."""
        digest = documents.digest(settings)
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
                return self._kept[digest]
            coming = self._coming.get(digest)
            mine = coming is None
            if coming is None:
                coming = self._coming[digest] = Future()
        if mine:
            self._make(coming, digest, documents, settings)
        return coming.result()

    def _make(self, coming: Future[Compiled], digest: str, documents: Documents, settings: Settings) -> None:
        try:
            made = compiled(documents, settings)
        except BaseException as problem:  # noqa: BLE001 - handed over to whoever waits, this thread included
            with self._lock:
                del self._coming[digest]
            coming.set_exception(problem)
            return
        with self._lock:
            del self._coming[digest]
            self._keep(made)
        coming.set_result(made)

    def _keep(self, made: Compiled) -> None:
        self._kept[made.digest] = made
        while len(self._kept) > 1 and (len(self._kept) > self._sets or self._size() > self._functions):
            self._kept.popitem(last=False)

    def _size(self) -> int:
        return sum(len(one.converter.labels) for one in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)


def count_functions(specs: Any) -> int:
    """How many functions a request brings, as far as its outermost list tells."""
    return len(specs) if isinstance(specs, list) else 1
