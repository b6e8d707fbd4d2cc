"""The domains that a server offers: by name, from folders, loaded when first asked for.

A folder is an artifact (``manifest.json``), a bot (``schemas.json`` or ``specs.json``, with
``exemplars.json`` and ``recognizers.json`` as they are), or holds several of these. Names
are looked up among what was found at the start; a name never becomes a path.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from constrained_du.converter import DEFAULT_MODEL, Converter
from constrained_du.errors import ArtifactError, SpecError
from constrained_du.loading import AUTO, Settings
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.server.compiled import Compiled, Documents, compiled
from constrained_du.sources.files import read_document
from constrained_du.storage import artifact as artifacts

SPECS = ("schemas.json", "specs.json", "schemas.yaml", "specs.yaml")
KEPT = 32  # loaded domains; OpenCUI's service keeps as many


class Catalogue:
    """``run`` are the options with which a converter is run (``model``, ``threads``, …)."""

    def __init__(self, folder: Path, run: Mapping[str, Any] | None = None) -> None:
        self._run = {name: value for name, value in (run or {}).items() if value is not None}
        self._folders = dict(_found(folder))
        if not self._folders:
            raise ArtifactError(f"{folder} holds neither an artifact nor a bot's {SPECS[0]} - compile one first")
        self._examples = {name: path for name, path in _examples() if name not in self._folders}
        self._loaded: OrderedDict[str, Compiled] = OrderedDict()
        self._lock, self._loading = threading.Lock(), threading.Lock()
        self._root = folder

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._folders)

    @property
    def examples(self) -> tuple[str, ...]:
        """Domains that come with the package, for the playground."""
        return tuple(self._examples)

    def __contains__(self, name: object) -> bool:
        return name in self._folders

    def get(self, name: str) -> Compiled:
        """The domain of that name, loaded or compiled if need be; KeyError if there is none."""
        found = self._find(name)
        if found is None:
            with self._loading:
                found = self._find(name) or self._keep(name, self._read(name))
        return found

    def reload(self, name: str) -> Compiled:
        """The domain read anew from its folder; the old one answers until that has succeeded."""
        with self._loading:
            return self._keep(name, self._read(name))

    def look_again(self) -> None:
        """Takes in bots whose folders have come since the start."""
        self._folders = dict(_found(self._root)) | self._folders

    def _find(self, name: str) -> Compiled | None:
        with self._lock:
            if name in self._loaded:
                self._loaded.move_to_end(name)
            return self._loaded.get(name)

    def _keep(self, name: str, domain: Compiled) -> Compiled:
        with self._lock:
            self._loaded[name] = domain
            self._loaded.move_to_end(name)
            while len(self._loaded) > KEPT:
                self._loaded.popitem(last=False)
            return domain

    def _read(self, name: str) -> Compiled:
        folder = self._folders.get(name) or self._examples[name]
        if (folder / artifacts.MANIFEST).is_file():
            return _loaded(folder, self._run)
        return compiled(_documents(folder), self._settings())

    def _settings(self) -> Settings:
        defaults = Settings(DEFAULT_MODEL, AUTO)
        return replace(defaults, **{name: value for name, value in self._run.items() if hasattr(defaults, name)})


def _found(folder: Path) -> Iterator[tuple[str, Path]]:
    if _is_domain(folder):
        yield folder.resolve().name or "domain", folder
    elif folder.is_dir():
        inner = (path for path in sorted(folder.iterdir()) if not path.name.startswith("."))
        yield from ((path.name, path) for path in inner if _is_domain(path))


def _is_domain(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (artifacts.MANIFEST, *SPECS))


def _examples() -> Iterator[tuple[str, Path]]:
    """The English ones of the bundled domains: the default model's language."""
    inside = Path(str(package_files("constrained_du"))) / "grammars"
    root = inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "grammars"
    if root.is_dir():
        yield from ((path.name, path) for path in sorted(root.glob("*_en")) if _is_domain(path))


def _loaded(folder: Path, run: Mapping[str, Any]) -> Compiled:
    stored = artifacts.read(folder).documents
    names = ("specs.json", "exemplars.json", "recognizers.json")
    documents = Documents(*(stored.get(name) for name in names))
    converter = Converter.load_from_disk(folder, **run)
    recognizers = read_recognizers(documents.recognizers)[0] if documents.recognizers else {}
    return Compiled(documents.digest(converter.settings), converter, documents, recognizers)


def _documents(folder: Path) -> Documents:
    specs = next(folder / name for name in SPECS if (folder / name).is_file())
    others = [folder / "exemplars.json", folder / "recognizers.json"]
    exemplars, recognizers = (read_document(path)[0] if path.is_file() else None for path in others)
    document = read_document(specs)[0]
    if isinstance(document, list) and not all(isinstance(item, dict) for item in document):
        raise SpecError("$", f"{specs.name} is a list of functions, each an object")
    return Documents(document, exemplars or [], recognizers or {})
