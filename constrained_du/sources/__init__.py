"""Reads every kind of function spec that people have into one shape, RawFunction.

| source | told by | read in |
|---|---|---|
| OpenAI, OpenCUI, Anthropic, MCP | ``name``, ``label``, ``function``, ``tools`` … | ``tools`` |
| OpenCUI's native form | ``skills`` and ``slots`` | ``opencui`` |
| OpenAPI 3.0 and 3.1 | ``openapi`` or ``paths`` | ``openapi`` |
| pydantic models, dataclasses, TypedDicts | a class | ``pydantic_models`` |
| Python functions | a callable | ``callables`` |
| JSON and YAML files of the above | a path | ``files`` |
| any of these, several | a list | here |

Documents are judged here, schemas elsewhere: a ``required`` that names no slot, an unknown
keyword or two functions of one label are for the spec reader.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NoReturn

from constrained_du.errors import SpecError
from constrained_du.sources.files import read_document
from constrained_du.sources.openapi import is_openapi, read_openapi
from constrained_du.sources.opencui import is_native, read_native
from constrained_du.sources.plain import child, show
from constrained_du.sources.raw import RawFunction, Report, reporting, to_native
from constrained_du.sources.tools import is_collection, read_collection, read_tool

__all__ = ["RawFunction", "read_functions", "to_native"]


def read_functions(source: object, problems: list[SpecError] | None = None) -> list[RawFunction]:
    """The functions of a source, in its order.

    With a ``problems`` list every SpecError is appended to it and the good functions are
    returned; without, the first one is raised.
    """
    return list(_read(source, "$", _raise if problems is None else problems.append))


def _raise(problem: SpecError) -> NoReturn:
    raise problem


def _read(source: object, path: str, report: Report) -> Iterator[RawFunction]:
    """One source from the caller's own hands: a list, a file, a document or an object of Python."""
    if isinstance(source, list | tuple):
        for index, item in enumerate(source):
            if isinstance(item, list | tuple):
                report(
                    SpecError(
                        child(path, index), "a list inside a list - put its functions into the outer one"
                    )
                )
            else:
                yield from _read(item, child(path, index), report)
    elif isinstance(source, str | os.PathLike):
        with reporting(report):
            document, root = read_document(source)
            yield from _read_document(document, root, report)
    elif isinstance(source, Mapping):
        yield from _read_object(source, path, report)
    elif isinstance(source, RawFunction):
        yield source
    else:
        with reporting(report):
            yield _read_python(source, path)


def _read_document(document: object, path: str, report: Report) -> Iterator[RawFunction]:
    """What a file holds: a list of objects or one object; texts in it are no paths of other files."""
    if isinstance(document, Mapping):
        yield from _read_object(document, path, report)
    elif isinstance(document, list):
        for index, item in enumerate(document):
            if isinstance(item, Mapping):
                yield from _read_object(item, child(path, index), report)
            else:
                report(SpecError(child(path, index), _no_spec(item)))
    else:
        report(SpecError(path, _no_spec(document)))


def _read_object(document: Mapping[str, object], path: str, report: Report) -> Iterator[RawFunction]:
    if is_native(document):
        yield from read_native(document, path, report)
    elif is_openapi(document):
        yield from read_openapi(document, path, report)
    elif is_collection(document):
        yield from read_collection(document, path, report)
    else:
        with reporting(report):
            yield read_tool(document, path)


def _read_python(source: object, path: str) -> RawFunction:
    # pydantic takes a quarter of a second to import, so only those pay who bring classes or functions.
    from constrained_du.sources.callables import read_callable
    from constrained_du.sources.pydantic_models import is_model, read_model

    if is_model(source):
        assert isinstance(source, type)
        return read_model(source, path)
    if callable(source) and not isinstance(source, type):
        return read_callable(source, path)
    raise SpecError(path, _no_spec(source))


def _no_spec(value: object) -> str:
    return f"{show(value)} is no function spec - give a spec, a list of specs, or the path of a file"
