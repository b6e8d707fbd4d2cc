"""Reads a JSON or YAML file into one value, strictly.

A key written twice, a number that is not finite, text that is not UTF-8, a document
that is cut: each is a SpecError that names the file. Knows nothing of what the value
means.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from constrained_du.errors import SpecError
from constrained_du.sources.plain import MAX_DEPTH, printable, show
from constrained_du.sources.yaml_text import parse_yaml

MAX_BYTES = 256 * 1024 * 1024
"""A larger file is no list of functions; it would be read into memory whole."""


def read_document(source: str | os.PathLike[str]) -> tuple[Any, str]:
    """The value in a file, and the path that names its root in messages (``specs.json:$``)."""
    path, name = _existing_file(source)
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise SpecError("$", f"{name} ends in {show(suffix)} - give a .json, .yaml or .yml file")
    root = f"{printable(path.name)}:$"
    text = _read_text(path, root)
    return _READERS[suffix](text, root), root


def parse_json(text: str, root: str) -> Any:
    """The value of a JSON text; SpecError names line and column of a mistake."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        problem = f"no JSON: {error.msg} in line {error.lineno}, column {error.colno} - mend it there"
    except RecursionError:
        problem = f"nested deeper than {MAX_DEPTH} levels - flatten it, or use $defs with $ref"
    except ValueError as error:
        problem = f"no JSON: {error}"
    raise SpecError(root, problem)


_READERS: dict[str, Callable[[str, str], Any]] = {
    ".json": parse_json,
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
}


def _existing_file(source: str | os.PathLike[str]) -> tuple[Path, str]:
    if not os.fspath(source):
        raise SpecError("$", "an empty text is no path of a file - give a spec or a path")
    try:
        path = Path(source)
        exists, folder = path.exists(), path.is_dir()
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise SpecError(
            "$", f"{_shown(source)} is no path of a file ({reason}) - give a shorter one"
        ) from None
    name = _shown(source)
    if folder:
        raise SpecError("$", f"{name} is a folder - give the file in it")
    if not exists:
        raise SpecError("$", f"{name} is no existing file - give the path of a .json, .yaml or .yml file")
    return path, name


def _read_text(path: Path, root: str) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SpecError(root, f"larger than {MAX_BYTES:,} bytes - split the file")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(root, f"no UTF-8 at byte {error.start} - save the file as UTF-8") from None
    except OSError as error:
        raise SpecError(root, f"cannot be read: {error.strerror} - check the file") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {show(twice)} is there twice in one object - keep one of them")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number - give a finite one")


def _shown(source: object) -> str:
    return show(printable(os.fspath(source)) if isinstance(source, str | os.PathLike) else source)
