"""Reads one tool of a list: OpenAI's three shapes, OpenCUI's, Anthropic's and MCP's.

| shape | told by |
|---|---|
| OpenCUI | ``label``; ``name`` then holds the human names |
| OpenAI nested | ``function`` is an object |
| OpenAI flat and legacy, Anthropic, MCP | ``name``; ``parameters``, ``input_schema`` or ``inputSchema`` |
| collections | ``functions`` or ``tools`` is a list (or JSON-RPC's ``result.tools``) |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from constrained_du.errors import SpecError
from constrained_du.sources.plain import check_text, child, described, kind, plain, show
from constrained_du.sources.raw import (
    RawFunction,
    Report,
    names_from_label,
    read_description,
    read_names,
    read_parameters,
    reporting,
)

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
_COLLECTIONS = ("functions", "tools")


def is_collection(document: Mapping[str, Any]) -> bool:
    """Whether the object is a wrapper around a list of tools and no tool itself."""
    if "label" in document or "name" in document:
        return False
    return _wrapped(document) is not None or any(isinstance(document.get(key), list) for key in _COLLECTIONS)


def read_collection(document: Mapping[str, Any], path: str, report: Report) -> Iterator[RawFunction]:
    """The functions of ``{"tools": [...]}``, ``{"functions": [...]}`` or an MCP response."""
    inner = _wrapped(document)
    if inner is not None:
        document, path = inner, child(path, "result")
    for key in _COLLECTIONS:
        tools = document.get(key)
        if tools is None:
            continue
        here = child(path, key)
        if not isinstance(tools, list):
            report(SpecError(here, f"{key} is {kind(tools)} - give a list of functions"))
            continue
        for index, tool in enumerate(tools):
            with reporting(report):
                yield read_tool(tool, child(here, index))


def read_tool(source: object, path: str) -> RawFunction:
    """One function out of one object; raises SpecError at the part that is wrong."""
    if not isinstance(source, Mapping):
        raise SpecError(path, f'{described(source)} - describe a function as {{"name": …}}')
    tool: dict[str, Any] = plain(source, path)
    if tool.get("label") is not None:
        return _read_opencui(tool, path)
    if isinstance(tool.get("function"), dict) and "name" not in tool:
        outer = {key: value for key, value in tool.items() if key != "function"}
        return _read_flat(tool["function"], child(path, "function"), path, outer)
    return _read_flat(tool, path, path, {})


def _wrapped(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    inner = document.get("result")
    return inner if isinstance(inner, Mapping) and isinstance(inner.get("tools"), list) else None


def _read_opencui(tool: dict[str, Any], path: str) -> RawFunction:
    label = check_text(tool["label"], child(path, "label"), "label")
    names = read_names(tool.get("name"), label, child(path, "name"))
    return _build(tool, path, path, label, names, {"label", "name"}, {})


def _read_flat(tool: dict[str, Any], path: str, whole: str, outer: dict[str, Any]) -> RawFunction:
    if tool.get("name") is None:
        raise SpecError(whole, f'no name{_instead(tool)} - give it a "name" (or a "label")')
    label = check_text(tool["name"], child(path, "name"), "name")
    title = tool.get("title")
    if isinstance(title, str) and title.strip() and "\0" not in title:
        return _build(tool, path, whole, label, (title,), {"name", "title"}, outer)
    return _build(tool, path, whole, label, names_from_label(label), {"name"}, outer)


def _instead(tool: dict[str, Any]) -> str:
    if isinstance(tool.get("type"), str) and tool["type"] != "function":
        return f" (a tool of type {show(tool['type'])})"
    return ""


def _build(
    tool: dict[str, Any],
    path: str,
    whole: str,
    label: str,
    names: tuple[str, ...],
    used: set[str],
    outer: dict[str, Any],
) -> RawFunction:
    key = _schema_key(tool, path)
    parameters_path = child(path, key)
    extras = {
        name: value
        for name, value in (outer | tool).items()
        if name not in used | {"description", key} and not (name == "type" and value == "function")
    }
    return RawFunction(
        path=whole,
        label=label,
        names=names,
        description=read_description(tool.get("description"), child(path, "description")),
        parameters=read_parameters(tool.get(key), parameters_path),
        parameters_path=parameters_path,
        extras={name: value for name, value in extras.items() if name not in _SCHEMA_KEYS},
    )


def _schema_key(tool: dict[str, Any], path: str) -> str:
    present = [key for key in _SCHEMA_KEYS if tool.get(key) is not None]
    if len(present) > 1:
        raise SpecError(child(path, present[1]), f"{present[0]} and {present[1]} both - keep one of them")
    return present[0] if present else "parameters"
