"""The tools of a real MCP server, written with the official package, over stdio and HTTP."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import PATIENCE

from constrained_du import Converter, InputError, ToolError
from constrained_du.mcp_bridge import McpTools, ToolAnswer, mcp_tools
from constrained_du.types import Call

ROOT = Path(__file__).resolve().parent.parent
SERVER = '''
import sys
from typing import Annotated, Literal

from mcp.server import MCPServer
from pydantic import Field

home = MCPServer("home", log_level="CRITICAL")


@home.tool(title="set the brightness")
def set_brightness(
    room: Annotated[Literal["kitchen", "bedroom"], Field(description="the room")],
    percent: Annotated[int, Field(ge=0, le=100, description="the brightness in percent")],
) -> str:
    """Dim or brighten the light of a room to a percentage."""
    return f"{room}: {percent} %"


@home.tool()
def weigh() -> dict[str, float]:
    """Tell what the dog weighs."""
    return {"kg": 12.5}


@home.tool()
def unplug() -> str:
    """Cut the power of the house."""
    raise ValueError("not while you are in the lift")


@home.tool()
def die() -> str:
    """End the server."""
    import os

    os._exit(1)


if len(sys.argv) > 1:
    home.run("streamable-http", port=int(sys.argv[1]))
else:
    home.run("stdio")
'''


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    script = tmp_path_factory.mktemp("mcp") / "home.py"
    script.write_text(SERVER, encoding="utf-8")
    return [sys.executable, str(script)]


@pytest.fixture(scope="module")
def tools(command: list[str]) -> Iterator[McpTools]:
    with mcp_tools(command) as connected:
        yield connected


def test_a_tool_becomes_a_spec_with_its_own_words(tools: McpTools) -> None:
    assert [spec["name"] for spec in tools.specs] == ["set_brightness", "weigh", "unplug", "die"]
    first = tools.specs[0]
    assert first["title"] == "set the brightness"
    assert first["description"] == "Dim or brighten the light of a room to a percentage."
    slots = first["inputSchema"]["properties"]
    assert slots["room"]["enum"] == ["kitchen", "bedroom"] and slots["percent"]["maximum"] == 100


@pytest.mark.model
def test_what_is_said_runs_the_tool_on_the_server(tools: McpTools, model_path: Path) -> None:
    converter = Converter(model_path).add_function_specs(tools.specs)
    converter.add_exemplars({"set_brightness": [{"template": "dim the <room> to <percent> percent"}]}).finalize()
    result = converter.convert("Dim the bedroom to thirty percent!")
    assert result.dispatch(tools.functions) == (
        ToolAnswer("bedroom: 30 %", {"result": "bedroom: 30 %"}, False, ({"type": "text", "text": "bedroom: 30 %"},)),
    )


def test_structured_content_is_handed_over(tools: McpTools) -> None:
    assert tools.functions["weigh"]().structured == {"kg": 12.5}


def test_a_tool_that_fails_says_so(tools: McpTools) -> None:
    answer = tools.functions["unplug"]()
    assert answer.failed and "unplug" in answer.text


def test_arguments_that_the_tool_refuses_are_its_failure(tools: McpTools) -> None:
    assert tools.functions["set_brightness"](room="attic", percent=3).failed


def test_a_call_with_a_missing_slot_runs_nothing(tools: McpTools) -> None:
    from constrained_du.dispatch import dispatch

    with pytest.raises(InputError, match="set_brightness lacks percent"):
        dispatch([Call("set_brightness", {"room": "kitchen"}, missing=("percent",))], tools.functions)


def test_only_some_tools_are_taken(command: list[str]) -> None:
    with mcp_tools(command, only=["weigh"]) as some:
        assert list(some.functions) == ["weigh"] and len(some.specs) == 1


def test_a_tool_that_is_not_there_is_told(command: list[str]) -> None:
    with pytest.raises(InputError, match="no tool 'fly' - it has 'set_brightness', 'weigh'"), mcp_tools(command, only=["fly"]):
        pass


def test_a_server_that_dies_is_an_error_that_names_it(command: list[str]) -> None:
    with mcp_tools(command) as doomed:
        with pytest.raises(ToolError, match="the tool 'die' of the MCP server .*home.py' failed"):
            doomed.functions["die"]()
        with pytest.raises(ToolError, match="failed"):
            doomed.functions["weigh"]()


BAD = [
    ("no such program", ["/nowhere/mcp-server"], ToolError, "'/nowhere/mcp-server' failed .* does it run"),
    ("a program that is no server", [sys.executable, "-c", "print('hello')"], ToolError, "failed"),
    ("nobody listens", "http://127.0.0.1:9/mcp", ToolError, "'http://127.0.0.1:9/mcp' failed"),
    ("an empty command", [], InputError, "no command"),
    ("a command that is no text", ["python", 3], InputError, "no command"),
    ("no server at all", 5, ToolError, "failed"),
]


@pytest.mark.parametrize(("server", "error", "told"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_is_no_server_is_an_error(server: object, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told), mcp_tools(server, patience=10):
        pass


def test_the_same_over_http(command: list[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([*command, str(port)], stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            with mcp_tools(f"http://127.0.0.1:{port}/mcp") as tools:
                assert tools.functions["set_brightness"](room="kitchen", percent=5).text == "kitchen: 5 %"
        finally:
            process.terminate()


def test_without_the_extra_the_error_says_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['mcp'] = None\n"
        "from constrained_du import ToolError\nfrom constrained_du.mcp_bridge import mcp_tools\n"
        "try:\n    mcp_tools('http://127.0.0.1:9/mcp').__enter__()\n"
        "except ToolError as problem:\n    print(problem)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pip install 'constrained_du[mcp]'" in ran.stdout


def test_importing_the_package_imports_no_mcp() -> None:
    script = "import sys, constrained_du, constrained_du.mcp_bridge; print('mcp' in sys.modules, 'httpx' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
