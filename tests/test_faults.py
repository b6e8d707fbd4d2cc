"""Faults inside, each put in at the narrowest real seam: a named error, and the next request is right."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constrained_du import ConstrainedDuError, ContextOverflowError, Converter, DecodeError, ModelError, Result
from constrained_du.answers.engine import RESERVED
from constrained_du.llama import LlamaBackend, LlamaEmbedder
from constrained_du.llama.library import c
from constrained_du.models import digests
from constrained_du.models.models import locate

SPECS = [
    {"name": "open_gate", "description": "Open the garden gate"},
    {"name": "write", "description": "Write a note", "parameters": {"type": "object", "properties": {
        "text": {"type": "string", "x-value": "free", "maxLength": 5}}, "required": ["text"]}},
]  # fmt: skip
SAID = "let my sister in"  # no word of a spec: the model is asked


@pytest.fixture(scope="module")
def du(model_path: Path) -> Converter:
    return Converter(model_path, embedder=None, context=512).add_function_specs(SPECS).finalize()


@pytest.fixture(scope="module")
def right(du: Converter) -> bytes:
    return shown(du.convert(SAID))


def shown(result: Result) -> bytes:
    return repr([(a.calls, a.score, a.confidence) for a in result.alternatives]).encode()


class Once:
    """Does what the real function does, but for one call, which gives ``value``."""

    def __init__(self, real: Any, value: Any, at: int = 1) -> None:
        self.real, self.value, self.at, self.calls = real, value, at, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.value if self.calls == self.at else self.real(*arguments)


def not_numbers(context: Any, row: int) -> Any:
    """Scores with one that is no number; kept alive by the function itself."""
    not_numbers.held = (ctypes.c_float * 300_000)(float("nan"))  # type: ignore[attr-defined]
    return ctypes.cast(not_numbers.held, ctypes.POINTER(ctypes.c_float))  # type: ignore[attr-defined]


FAULTS: list[tuple[str, str, Any, type[ConstrainedDuError], str]] = [
    ("no room in memory for the batch", "llama_decode", 1, ContextOverflowError, "512 tokens"),
    ("an evaluation that was aborted", "llama_decode", 2, DecodeError, "code 2"),
    ("an invalid batch", "llama_decode", -1, DecodeError, "code -1"),
    ("an allocation that failed", "llama_decode", -2, DecodeError, "code -2"),
    ("a computation that failed", "llama_decode", -3, DecodeError, "code -3"),
    ("no scores", "llama_get_logits_ith", None, DecodeError, "no scores"),
    ("a state that is refused", "llama_state_seq_set_data", 0, DecodeError, "finalize the artifact again"),
]


@pytest.mark.parametrize(("name", "value", "error", "told"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
@pytest.mark.parametrize("at", [1, 2])
def test_a_fault_of_llama_cpp_is_a_named_error_and_nothing_is_left_of_it(
    du: Converter, right: bytes, monkeypatch: pytest.MonkeyPatch, name: str, value: Any, error: type[ConstrainedDuError],
    told: str, at: int,
) -> None:  # fmt: skip
    saying = SAID if at == 1 or name != "llama_decode" else "write something down"
    once = Once(getattr(c, name), value, at)
    with monkeypatch.context() as patched:
        patched.setattr(c, name, once)
        with pytest.raises(error, match=told):
            du.convert(saying, tool_choice="auto" if saying == SAID else "write")
    assert once.calls == at, "it went on after the fault"
    assert shown(du.convert(SAID)) == right


def test_scores_that_are_not_numbers_are_a_decode_error(du: Converter, right: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(c, "llama_get_logits_ith", not_numbers)
        with pytest.raises(DecodeError, match="not numbers"):
            du.convert(SAID)
    assert shown(du.convert(SAID)) == right


def test_what_is_beyond_the_context_is_an_error_with_both_numbers(du: Converter, right: bytes) -> None:
    for text in ("open the gate " * 300, "open " * 20_000):
        with pytest.raises(ContextOverflowError, match=r"\d+ tokens.*512 tokens.*shorten"):
            du.convert(text)
        assert shown(du.convert(SAID)) == right


def test_the_longest_utterance_that_fits_is_answered_and_one_token_more_is_told_both_numbers(model_path: Path) -> None:
    small = Converter(model_path, embedder=None, context=256).add_function_specs(SPECS[:1]).finalize()
    tokens = LlamaBackend(model_path, context=256).encode
    room = 256 - RESERVED
    longest = " gate" * room
    assert len(tokens(longest)) == room and len(tokens(longest + " gate")) == room + 1
    assert small.convert(longest).calls
    with pytest.raises(ContextOverflowError, match=f"{room + 1} tokens.*256 tokens leaves room for {room}"):
        small.convert(longest + " gate")
    assert small.convert(longest).calls


def test_a_failure_in_the_middle_of_free_text_leaves_nothing_for_the_next(
    du: Converter, right: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = shown(du.convert("write hello", tool_choice="write"))
    passes = Once(c.llama_decode, -3, at=10**9)
    with monkeypatch.context() as patched:
        patched.setattr(c, "llama_decode", passes)
        du.convert("write hello", tool_choice="write")
    for at in (passes.calls, passes.calls - 1, passes.calls // 2):
        with monkeypatch.context() as patched:
            patched.setattr(c, "llama_decode", Once(c.llama_decode, -3, at))
            with pytest.raises(DecodeError, match="code -3"):
                du.convert("write hello", tool_choice="write")
        assert shown(du.convert("write hello", tool_choice="write")) == wanted
    assert shown(du.convert(SAID)) == right


LOADING: list[tuple[str, str, str]] = [
    ("a model that does not fit into memory", "llama_model_load_from_file", "cannot load this file"),
    ("a context that does not fit into memory", "llama_init_from_model", "not enough memory for a context of 300 tokens"),
]


@pytest.mark.parametrize(("name", "told"), [row[1:] for row in LOADING], ids=[row[0] for row in LOADING])
def test_memory_that_is_not_to_be_had_is_a_model_error(
    model_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(c, name, Once(None, None))
        with pytest.raises(ModelError, match=told):
            LlamaBackend(model_path, context=300)
    backend = LlamaBackend(model_path, context=300)
    assert len(backend.prefix([*backend.start_tokens, *backend.encode("hello there")]).state) > 0


def test_a_state_that_cannot_be_saved_is_a_decode_error(model_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    converter = Converter(model_path, embedder=None, context=512).add_function_specs(SPECS[:1])
    with monkeypatch.context() as patched:
        patched.setattr(c, "llama_state_seq_get_data", Once(None, 0))
        with pytest.raises(DecodeError, match="save the state"):
            converter.finalize()
    assert converter.finalize().convert(SAID).calls


@pytest.mark.parametrize("fault", [("llama_encode", -1), ("llama_get_embeddings_seq", None)], ids=lambda fault: str(fault[0]))
def test_an_embedder_that_fails_is_a_decode_error(monkeypatch: pytest.MonkeyPatch, fault: tuple[str, Any]) -> None:
    embedder = LlamaEmbedder(locate("all-minilm-l6-v2"))
    before = embedder.embed("open the gate")
    with monkeypatch.context() as patched:
        patched.setattr(c, fault[0], Once(getattr(c, fault[0]), fault[1]))
        with pytest.raises(DecodeError, match="embedder"):
            embedder.embed("open the gate")
    assert np.array_equal(embedder.embed("open the gate"), before)


# -- a missing library -----------------------------------------------------------------------


def run(command: list[str], library: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A command where ``import llama_cpp`` does what ``library`` says."""
    (tmp_path / "llama_cpp").mkdir()
    (tmp_path / "llama_cpp" / "__init__.py").write_text(library)
    return subprocess.run(
        [sys.executable, "-m", "constrained_du", *command], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(tmp_path)}
    )


LIBRARIES = [
    ("not installed", "raise ModuleNotFoundError(\"No module named 'llama_cpp'\")", "No module named"),
    ("of another machine", "raise OSError('libllama.so: wrong ELF class')", "wrong ELF class"),
    ("without its shared object", "raise FileNotFoundError('Shared library with base name llama not found')", "not found"),
    ("broken", "raise RuntimeError('Failed to load shared library')", "Failed to load"),
]


@pytest.mark.parametrize(("library", "told"), [row[1:] for row in LIBRARIES], ids=[row[0] for row in LIBRARIES])
def test_a_missing_library_is_one_line_that_says_how_to_get_it(tmp_path: Path, library: str, told: str) -> None:
    specs = tmp_path / "specs.json"
    specs.write_text(json.dumps(SPECS[:1]))
    ended = run(["compile", str(specs), "--embedder", "none", "-o", str(tmp_path / "out")], library, tmp_path)
    assert ended.returncode == 2 and len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    assert "llama-cpp-python cannot be loaded" in ended.stderr and told in ended.stderr
    assert "pip install llama-cpp-python" in ended.stderr
    assert not (tmp_path / "out").exists()


# -- a full disk for the cache -----------------------------------------------------------------


def _full(*arguments: Any, **named: Any) -> Any:
    raise OSError(ENOSPC, "No space left on device")


@pytest.mark.parametrize("seam", ["tempfile.mkstemp", "os.fdopen", "json.dump", "os.replace", "Path.mkdir"])
def test_a_full_disk_for_the_cache_costs_time_and_nothing_else(
    tmp_path: Path, model_path: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    monkeypatch.setenv("CONSTRAINED_DU_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    model = tmp_path / "model.gguf"
    model.write_bytes(model_path.read_bytes()[: 1 << 20])
    os.utime(model, (1, 1))
    wanted = digests.fresh_digest(model)
    where, name = seam.split(".")
    with monkeypatch.context() as patched:
        patched.setattr(getattr(digests, where), name, _full)
        digests.remember(model, wanted)
        assert digests.digest(model) == wanted
    assert list((tmp_path / "home").iterdir()) == [], "something is left over"
    digests.remember(model, wanted)
    assert digests.digest(model) == wanted and (tmp_path / "home" / "digests.json").is_file()
