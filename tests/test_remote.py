"""A model in a serving engine: llama-cpp-python's own server on loopback, and recorded protocols.

The real server runs the same file as the local greedy decoder. Engines keep what they have
evaluated, and parts of prompts round otherwise than whole ones; so each comparison asks for
something else before, and the likeliest token is then the same to the last bit.
"""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from served import PATIENCE

from constrained_du import (
    ArtifactMismatchError,
    ConstrainedDuError,
    ContextOverflowError,
    Converter,
    DecodeError,
    GrammarError,
    InputError,
    ModelError,
    Result,
)
from constrained_du.decoding.prompt import greedy_prompt
from constrained_du.grammar.emit import to_gbnf, to_regex

ROOT = Path(__file__).resolve().parent.parent
CITY = ROOT / "grammars" / "city_app_en"
SPECS = [
    {
        "name": "book_table",
        "description": "Reserve a table at a restaurant.",
        "parameters": {
            "type": "object",
            "properties": {
                "people": {"type": "integer", "minimum": 1, "maximum": 20},
                "time": {"type": "string", "format": "time"},
                "note": {"type": "string"},
            },
            "required": ["people", "time"],
        },
    },
    {"name": "stop", "description": "Stop."},
]
UTTERANCE = "a table for four at 7pm"
CALL = '{"name":"book_table","arguments":{"people":4}}'

# -- a real engine -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama-cpp-python's server, which runs the default model's file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {"model": model_path, "model_alias": "smol", "n_ctx": 1024, "n_threads": 1, "n_threads_batch": 1,
               "flash_attn": "true", "verbose": "false", "host": "127.0.0.1", "port": port}  # fmt: skip
    command = [sys.executable, "-m", "llama_cpp.server", *(f"--{name}={value}" for name, value in options.items())]
    log = tmp_path_factory.mktemp("engine") / "log"
    with log.open("w") as lines, subprocess.Popen(command, stdout=lines, stderr=lines, cwd=ROOT) as process:
        try:
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until and process.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.2)
            else:
                pytest.fail(f"the engine did not start: {log.read_text()[-2000:]}", pytrace=False)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def forget(engine: str) -> None:
    """Asks for something else, so that nothing of the last prompt is kept."""
    body = json.dumps({"model": "smol", "prompt": "x", "max_tokens": 1}).encode()
    request = urllib.request.Request(f"{engine}/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=4 * PATIENCE) as answer:
        answer.read()


def city(model: str | Path) -> Converter:
    converter = Converter(model, decoder="greedy", embedder=None)
    return converter.add_function_specs(CITY / "specs.json").add_recognizers(CITY / "recognizers.json").finalize(state=False)


@pytest.fixture(scope="module")
def local(model_path: Path) -> Converter:
    return city(model_path)


@pytest.fixture(scope="module")
def remote(engine: str) -> Converter:
    return city(f"{engine}#smol")


SAID: list[dict[str, Any]] = json.loads((CITY / "scenarios.json").read_text(encoding="utf-8"))
ALIKE: list[tuple[str, dict[str, Any]]] = [
    *((line["utterance"], {}) for line in SAID[:8]),
    ("any museum worth a visit in Utrecht?", {"functions": ["outings", "departures"]}),
    ("what can we do in Sneek?", {"entities": {"area": [(18, 23, "SNK")]}, "tool_choice": "outings"}),
    ("from Breda to Tilburg, and open the settings", {"max_calls": 2}),
    ('a "quoted" café\nin Ōsaka 🦙', {"tool_choice": "search_places"}),
]


def shown(result: Result) -> list[tuple[Any, ...]]:
    return [(call.to_json(), call.missing, call.clarification) for call in result]


@pytest.mark.model
@pytest.mark.parametrize(("utterance", "arguments"), ALIKE, ids=[utterance for utterance, _ in ALIKE])
def test_a_real_engine_gives_what_the_local_greedy_decoder_gives(
    engine: str, local: Converter, remote: Converter, utterance: str, arguments: dict[str, Any]
) -> None:
    forget(engine)
    found = remote.convert(utterance, **arguments)
    assert shown(found) == shown(local.convert(utterance, **arguments))
    assert all(remote.accepts({"name": c.name, "arguments": c.arguments}, utterance, arguments.get("entities")) for c in found)
    assert found.stats.tokens_evaluated > 50 and found.explain().decided_by == "server"


@pytest.mark.model
def test_generated_text_is_the_same_too(engine: str, model_path: Path) -> None:
    note = {"type": "string", "maxLength": 24, "x-value": "free", "description": "the text"}
    write = {"type": "object", "properties": {"text": note}, "required": ["text"]}
    specs = [{"name": "write_note", "description": "Write a note.", "parameters": write}]
    near, far = (Converter(m, decoder="greedy", embedder=None).add_function_specs(specs).finalize()
                 for m in (model_path, f"{engine}#smol"))  # fmt: skip
    forget(engine)
    said = far.convert("note that the milk is gone", tool_choice="required")
    assert shown(said) == shown(near.convert("note that the milk is gone", tool_choice="required"))


@pytest.mark.model
def test_a_prompt_beyond_the_engines_context_is_told(remote: Converter) -> None:
    with pytest.raises(ContextOverflowError, match=r"http://127\.0\.0\.1:\d+/v1/completions .* larger context"):
        remote.convert("open " + "the settings and " * 600)


@pytest.mark.model
def test_an_artifact_goes_to_any_address_and_to_no_file(
    engine: str, remote: Converter, model_path: Path, tmp_path: Path
) -> None:
    remote.finalize(tmp_path / "city")
    moved = Converter.load_from_disk(tmp_path / "city", model=f"{engine}/?grammar=grammar#smol")
    forget(engine)
    assert moved.convert("open the settings").understood in (True, False)
    assert Converter.load_from_disk(tmp_path / "city").settings.model == f"{engine}#smol"
    with pytest.raises(ArtifactMismatchError, match="is another one"):
        Converter.load_from_disk(tmp_path / "city", model=model_path)


@pytest.mark.model
def test_an_artifact_of_a_file_goes_to_no_address(model_path: Path, tmp_path: Path) -> None:
    Converter(model_path, embedder=None).add_function_specs(SPECS).finalize(tmp_path / "local", state=False)
    with pytest.raises(ArtifactMismatchError, match="127.0.0.1"):
        Converter.load_from_disk(tmp_path / "local", model="http://127.0.0.1:9/v1#m")


# -- recorded protocols --------------------------------------------------------------------


@dataclass
class Engine:
    """A loopback server that answers as an engine would, and keeps what it was asked."""

    owner: str = "llamacpp"
    status: int = 200
    answer: Any = field(default_factory=lambda: completion(CALL))
    asked: list[tuple[str, str, Mapping[str, str], Any]] = field(default_factory=list)
    meet: threading.Barrier | None = None
    url: str = ""


def completion(text: Any, reason: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": reason}
    return {"object": "text_completion", "choices": [choice], "usage": {"total_tokens": 90}}


@pytest.fixture
def recorded() -> Iterator[Engine]:
    state = Engine()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.reply(None, 200, {"object": "list", "data": [{"id": "m", "owned_by": state.owner}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if state.meet is not None:
                state.meet.wait(PATIENCE)
            self.reply(body, state.status, state.answer)

        def reply(self, body: Any, status: int, answer: Any) -> None:
            state.asked.append((self.command, self.path, dict(self.headers), body))
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        yield state
        server.shutdown()
        thread.join()


def at(url: str, **options: Any) -> Converter:
    return Converter(url, **options).add_function_specs(SPECS).finalize()


Extra = Callable[[str, str], dict[str, Any]]
PROTOCOLS: list[tuple[str, str, str, Extra]] = [
    ("llama-server", "llamacpp", "", lambda gbnf, regex: {"grammar": gbnf, "repeat_penalty": 1.0, "cache_prompt": False}),
    ("llama-cpp-python", "me", "", lambda gbnf, regex: {"grammar": gbnf, "repeat_penalty": 1.0, "cache_prompt": False}),
    ("vLLM", "vllm", "", lambda gbnf, regex: {"structured_outputs": {"regex": regex}, "repetition_penalty": 1.0}),
    ("SGLang", "sglang", "", lambda gbnf, regex: {"regex": regex, "repetition_penalty": 1.0}),
    ("vLLM before 0.12", "vllm", "guided_regex", lambda gbnf, regex: {"guided_regex": regex, "repetition_penalty": 1.0}),
    ("SGLang in GBNF", "sglang", "ebnf", lambda gbnf, regex: {"ebnf": gbnf, "repetition_penalty": 1.0}),
    ("another, told what it takes", "acme", "regex", lambda gbnf, regex: {"regex": regex, "repetition_penalty": 1.0}),
]


@pytest.mark.parametrize(("owner", "named", "extra"), [row[1:] for row in PROTOCOLS], ids=[row[0] for row in PROTOCOLS])
def test_an_engine_gets_the_grammar_in_its_own_field(recorded: Engine, owner: str, named: str, extra: Extra) -> None:
    recorded.owner = owner
    converter = at(recorded.url + (f"?grammar={named}" if named else "") + "#org/some%20model")
    assert recorded.asked == []  # compiling asks nobody
    result = converter.convert(UTTERANCE)
    grammar = converter.grammar(UTTERANCE)
    wanted = {
        "model": "org/some model", "prompt": greedy_prompt(UTTERANCE, converter.domain.functions), "max_tokens": 768,
        "temperature": 0, "stream": False, **extra(to_gbnf(grammar), to_regex(grammar)),
    }  # fmt: skip
    *before, (method, path, _, body) = recorded.asked
    assert (method, path, body) == ("POST", "/v1/completions", wanted)
    assert [(method, path) for method, path, _, _ in before] == ([] if named else [("GET", "/v1/models")])
    assert result[0].to_json() == CALL and result[0].missing == ("time",)
    assert (result.confidence, result.stats.tokens_evaluated) == (0.5, 90)
    converter.convert(UTTERANCE)
    assert sum(method == "GET" for method, *_ in recorded.asked) <= 1  # asked what it is only once


def test_what_needs_no_model_asks_none(recorded: Engine) -> None:
    converter = at(f"{recorded.url}#m")
    assert not converter.convert("  ").understood
    assert not converter.convert(UTTERANCE, tool_choice="none").understood
    assert converter.accepts(json.loads(CALL), UTTERANCE)
    assert recorded.asked == []


def test_a_batch_is_under_way_together(recorded: Engine) -> None:
    recorded.meet = threading.Barrier(8)  # nobody is answered before eight have asked
    results = at(f"{recorded.url}?grammar=grammar#m").convert_batch([UTTERANCE] * 8)
    assert [result[0].to_json() for result in results] == [CALL] * 8


def test_a_key_is_taken_from_the_environment_and_told_nobody(recorded: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSTRAINED_DU_REMOTE_KEY", "s3cret")
    recorded.status, recorded.answer = 401, {"error": "no"}
    with pytest.raises(ModelError, match="401.*CONSTRAINED_DU_REMOTE_KEY") as failed:
        at(f"{recorded.url}#m").convert(UTTERANCE)
    assert {headers["Authorization"] for _, _, headers, _ in recorded.asked} == {"Bearer s3cret"}
    assert "s3cret" not in str(failed.value)


def test_proxies_of_the_environment_are_not_used(recorded: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert at(f"{recorded.url}#m").convert(UTTERANCE)[0].to_json() == CALL


FAILED: list[tuple[str, int, Any, type[ConstrainedDuError], str]] = [
    ("text that is not in the grammar", 200, completion("Sure! Here you go"), DecodeError, "'Sure! Here you go', .*'grammar'.*[?]grammar="),
    ("a value that was not said", 200, completion(CALL.replace("4", "5")), DecodeError, "not in the grammar"),
    ("an answer that was cut off", 200, completion(CALL[:20], "length"), DecodeError, "cut the answer off at 768 tokens"),
    ("a null for text", 200, completion(None), ModelError, "OpenAI's API"),
    ("no choices", 200, {"choices": []}, ModelError, "gave no completion"),
    ("choices that are none", 200, {"choices": [3]}, ModelError, "gave no completion"),
    ("a list", 200, [1], ModelError, "no JSON object"),
    ("no JSON", 200, b"<html>", ModelError, "no JSON object: '<html>'"),
    ("bytes that are no text", 200, b"\xff\xfe\x00", ModelError, "no JSON object"),
    ("a refusal", 400, {"error": "unknown field"}, ModelError, "status 400.*unknown field.*[?]grammar=FIELD"),
    ("too long for it", 400, {"error": "maximum context length is 9"}, ContextOverflowError, "larger context"),
    ("no such model", 404, {"error": "not found"}, ModelError, "status 404.*'m' one of its models"),
    ("busy", 429, {}, ModelError, "ask fewer at once"),
    ("still loading", 503, {"error": "loading"}, ModelError, "still loads"),
    ("broken", 500, b"oops", ModelError, "status 500: 'oops'"),
    ("moved", 302, b"", ModelError, "status 302"),
]


@pytest.mark.parametrize(("status", "answer", "error", "told"), [row[1:] for row in FAILED], ids=[row[0] for row in FAILED])
def test_what_goes_wrong_is_an_error_with_the_address_and_never_a_refusal(
    recorded: Engine, status: int, answer: Any, error: type[ConstrainedDuError], told: str
) -> None:
    recorded.status, recorded.answer = status, answer
    with pytest.raises(error, match=told) as failed:
        at(f"{recorded.url}#m").convert(UTTERANCE)
    assert recorded.url in str(failed.value) and type(failed.value) is error


def test_an_engine_that_is_not_there_is_told() -> None:
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:9/v1/models cannot be reached .* does the engine run there\?"):
        at("http://127.0.0.1:9/v1#m").convert(UTTERANCE)


def test_one_failure_of_a_batch_is_raised() -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        at("http://127.0.0.1:9/v1#m").convert_batch([UTTERANCE, "stop"])


def test_a_recursive_schema_needs_an_engine_that_takes_gbnf(recorded: Engine) -> None:
    tree = {"type": "object", "properties": {"tree": {"$ref": "#/$defs/t"}},
            "$defs": {"t": {"type": "object", "properties": {"left": {"$ref": "#/$defs/t"}}}}}  # fmt: skip
    specs = [{"name": "grow", "parameters": tree}]
    recorded.owner, recorded.answer = "vllm", completion('{"name":"grow","arguments":{}}')
    with pytest.raises(GrammarError, match="recursive"):
        Converter(f"{recorded.url}#m").add_function_specs(specs).finalize().convert("grow")
    recorded.owner = "llamacpp"
    assert Converter(f"{recorded.url}#m").add_function_specs(specs).finalize().convert("grow").understood


BAD_ADDRESSES = [
    ("no model", "http://127.0.0.1:9/v1", "names no model"),
    ("an empty model", "http://127.0.0.1:9/v1#", "names no model"),
    ("no host", "http:///v1#m", "has no host"),
    ("a port that is none", "http://127.0.0.1:port/v1#m", "is no address"),
    ("a password", "http://me:s3cret@127.0.0.1/v1#m", "put a key in CONSTRAINED_DU_REMOTE_KEY"),
    ("an unknown field", "http://127.0.0.1:9/v1?grammar=magic#m", "'magic' is known - there are grammar, structured_outputs"),
    ("an unknown option", "http://127.0.0.1:9/v1?temperature=1#m", "only grammar=FIELD"),
]


@pytest.mark.parametrize(("address", "told"), [row[1:] for row in BAD_ADDRESSES], ids=[row[0] for row in BAD_ADDRESSES])
def test_an_address_that_is_none_is_refused_at_once(address: str, told: str) -> None:
    with pytest.raises(ModelError, match=told) as failed:
        Converter(address)
    assert "s3cret" not in str(failed.value)


@pytest.mark.parametrize("option", [{"embedder": "all-minilm-l6-v2"}, {"operators": True}, {"caution": 0.1}], ids=str)
def test_an_option_without_effect_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no effect on a model at an address"):
        Converter("http://127.0.0.1:9/v1#m", **option)


def test_without_the_extra_the_error_says_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['httpx'] = None\n"
        "from constrained_du import Converter, ModelError\n"
        "try:\n    Converter('http://127.0.0.1:9/v1#m')\n"
        "except ModelError as problem:\n    print(problem)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ)
    assert "pip install 'constrained_du[remote]'" in ran.stdout
