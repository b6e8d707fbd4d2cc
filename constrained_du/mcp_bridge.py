"""The tools of an MCP server as functions: their specs for a converter, and the running of a chosen one.

Holds the connection, in a thread of its own, and nothing of how utterances are understood.
``pip install 'constrained_du[mcp]'`` brings the official package, which is imported here only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from constrained_du.errors import InputError, ToolError
from constrained_du.types import JsonValue

if TYPE_CHECKING:
    from mcp import Client

PATIENCE = 60.0  # seconds for one answer of the server: tools may be slow, a silent one is an error
_MOST_PAGES = 1000  # of a tool list: a server that always has one more is broken

Got = TypeVar("Got")
Server: TypeAlias = "str | Sequence[str] | object"
"""The command that starts it, a URL (Streamable HTTP), or whatever ``mcp.Client`` takes."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool gave back. ``failed``: it says so itself, and ``text`` says why."""

    text: str
    structured: JsonValue = None
    failed: bool = False
    content: tuple[Mapping[str, JsonValue], ...] = field(default=(), repr=False)
    """The content blocks (texts, images, resources) as MCP writes them."""


@dataclass(frozen=True)
class McpTools:
    """A connected server: ``specs`` for ``add_function_specs``, ``functions`` for ``result.dispatch``."""

    specs: tuple[Mapping[str, JsonValue], ...]
    functions: Mapping[str, Callable[..., ToolAnswer]]


@contextmanager
def mcp_tools(server: Server, only: Sequence[str] | None = None, patience: float = PATIENCE) -> Iterator[McpTools]:
    """Connects to a server until the block ends; ``only`` names the tools that are wanted.

    Raises ToolError where the server cannot be started or reached or does not answer, and
    InputError for a name in ``only`` that it does not have. The functions raise ToolError too;
    a tool that fails on its own account gives an answer that says ``failed``.
    """
    try:
        from anyio.from_thread import start_blocking_portal
        from mcp import Client, StdioServerParameters
    except ImportError as problem:
        raise ToolError(
            f"MCP servers need the `mcp` extra, which is not installed here ({problem.name or problem}) - "
            "pip install 'constrained_du[mcp]'"
        ) from None
    target: Any = server
    if not isinstance(server, str) and isinstance(server, Sequence):
        if not server or not all(isinstance(word, str) for word in server):
            raise InputError(f"{server!r} is no command - give a list of texts, a URL, or what mcp.Client takes")
        target = StdioServerParameters(command=server[0], args=list(server[1:]))
    with start_blocking_portal() as portal:
        client = _guarded(server, lambda: Client(target, read_timeout_seconds=patience))
        connection = portal.wrap_async_context_manager(client)
        _guarded(server, connection.__enter__)
        try:
            listed = _guarded(server, lambda: portal.call(_listed, client))
            specs = _wanted(listed, only)

            def run(name: str, **arguments: JsonValue) -> ToolAnswer:
                return _guarded(server, lambda: portal.call(_called, client, name, arguments), f"the tool {name!r} of ")

            yield McpTools(specs, {str(spec["name"]): functools.partial(run, spec["name"]) for spec in specs})
        finally:
            connection.__exit__(None, None, None)


def _wanted(listed: tuple[Mapping[str, JsonValue], ...], only: Sequence[str] | None) -> tuple[Mapping[str, JsonValue], ...]:
    if only is None:
        return listed
    by_name = {spec["name"]: spec for spec in listed}
    for name in only:
        if name not in by_name:
            raise InputError(f"only: the server has no tool {name!r} - it has {', '.join(map(repr, by_name)) or 'none'}")
    return tuple(by_name[name] for name in only)


async def _listed(client: Client) -> tuple[Mapping[str, JsonValue], ...]:
    """Name, words and input schema of every tool, over all pages."""
    found: list[Mapping[str, JsonValue]] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            written = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
            found.append({key: written[key] for key in ("name", "title", "description", "inputSchema") if key in written})
        cursor = page.next_cursor
        if cursor is None:
            return tuple(found)
    raise ToolError(f"its tool list has no end ({_MOST_PAGES} pages were read)")


async def _called(client: Client, name: str, arguments: dict[str, JsonValue]) -> ToolAnswer:
    answer = await client.call_tool(name, arguments)
    blocks = tuple(block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in answer.content)
    text = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
    return ToolAnswer(text, answer.structured_content, bool(answer.is_error), blocks)


def _guarded(server: Server, act: Callable[[], Got], what: str = "") -> Got:
    """Whatever goes wrong between us and the server, as one kind of error that names it."""
    try:
        return act()
    except Exception as problem:  # transports raise what they like, in groups too
        told = "; ".join(dict.fromkeys(f"{type(one).__name__}: {one}" for one in _leaves(problem)))
        name = server if isinstance(server, str) else " ".join(map(str, server)) if isinstance(server, Sequence) else "given"
        raise ToolError(f"{what}the MCP server {name!r} failed ({told}) - does it run, and speak MCP?") from problem


def _leaves(problem: BaseException) -> Iterator[BaseException]:
    inner = getattr(problem, "exceptions", None)  # of an exception group, which Python 3.10 lacks
    if inner is None:
        yield problem
    else:
        for one in inner:
            yield from _leaves(one)
