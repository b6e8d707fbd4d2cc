"""llama.cpp itself: loaded once, its files, working memory and tokens as Python objects.

Every foreign failure becomes an error of this package here or in the modules beside it.
"""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from typing import Any

from constrained_du.errors import ModelError

__all__ = ["Adapter", "Context", "Tokens", "Weights", "c", "quantize"]

# OpenMP's threads wait for each other by spinning for milliseconds, which on two cores with a busy
# neighbour makes an answer 3 to 5 times slower (4.6 s to 0.9 s at a load of 6; make bench). Read when
# the library is loaded; whoever sets it keeps theirs.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")


class _Missing:
    """In the place of a library that cannot be loaded: whatever is asked of it says so."""

    def __init__(self, failure: Exception) -> None:
        self._failure = f"llama-cpp-python cannot be loaded ({failure}) - reinstall it: pip install llama-cpp-python"

    def __getattr__(self, name: str) -> Any:
        raise ModelError(self._failure)


def _library() -> Any:
    """The library, silent and ready."""
    try:
        from llama_cpp import llama_cpp
    except Exception as failure:  # noqa: BLE001 - it is not there, or was built for another machine
        return _Missing(failure)
    llama_cpp.llama_log_set(_quiet(llama_cpp), ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    return llama_cpp


def _quiet(library: Any) -> Any:
    global _silent  # the library calls it for as long as the process lives
    _silent = library.llama_log_callback(lambda level, text, data: None)
    return _silent


_silent: Any = None
c: Any = _library()
QUANTISATIONS = {"F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "IQ4_NL": 25, "BF16": 32}

_lock = threading.Lock()


class Weights:
    """A model file in memory; freed when the last reference goes."""

    def __init__(self, path: Path, gpu_layers: int, vocab_only: bool = False) -> None:
        params = c.llama_model_default_params()
        params.vocab_only = vocab_only
        params.n_gpu_layers = gpu_layers if gpu_layers >= 0 else 2**31 - 1
        with _lock:
            self.pointer: Any = c.llama_model_load_from_file(os.fsencode(path), params)
        if not self.pointer:
            raise ModelError(f"{path}: llama.cpp cannot load this file - is it a whole GGUF model of a known architecture?")

    def __del__(self) -> None:
        if getattr(self, "pointer", None) and c is not None:
            c.llama_model_free(self.pointer)
            self.pointer = None


class Context:
    """Working memory beside the weights; one caller at a time."""

    def __init__(self, weights: Weights, path: Path, **settings: int | bool) -> None:
        self._weights = weights
        self.pointer: Any = None
        params = c.llama_context_default_params()
        for name, value in settings.items():
            setattr(params, name, value)
        with _lock:
            self.pointer = c.llama_init_from_model(weights.pointer, params)
        if not self.pointer:
            raise ModelError(f"{path}: not enough memory for a context of {params.n_ctx} tokens - lower context=")

    def __del__(self) -> None:
        if getattr(self, "pointer", None) and c is not None:
            c.llama_free(self.pointer)
            self.pointer = None


class Adapter:
    """A LoRA file beside the weights that it was made for; freed with them."""

    def __init__(self, weights: Weights, path: Path) -> None:
        self._weights = weights
        with _lock:
            self.pointer: Any = c.llama_adapter_lora_init(weights.pointer, os.fsencode(path))
        if not self.pointer:
            raise ModelError(f"{path}: llama.cpp cannot load this adapter - was it made for this model?")

    def apply(self, context: Context) -> None:
        adapters = (c.llama_adapter_lora_p_ctypes * 1)(self.pointer)
        code = int(c.llama_set_adapters_lora(context.pointer, adapters, 1, (ctypes.c_float * 1)(1.0)))
        if code:
            raise ModelError(f"llama.cpp could not apply the adapter (code {code})")


class Tokens:
    """The tokenizer of a model."""

    def __init__(self, weights: Weights) -> None:
        self._vocab = c.llama_model_get_vocab(weights.pointer)
        self._weights = weights
        self.size = int(c.llama_vocab_n_tokens(self._vocab))
        self.bos = int(c.llama_vocab_bos(self._vocab))
        self.eos = int(c.llama_vocab_eos(self._vocab))
        self.adds_bos = bool(c.llama_vocab_get_add_bos(self._vocab))

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Token ids of a text; markers such as ``<|im_end|>`` in it are plain text."""
        data = text.encode("utf-8")
        room = len(data) + 8
        while True:
            buffer = (c.llama_token * room)()
            count = c.llama_tokenize(self._vocab, data, len(data), buffer, room, special, False)
            if count >= 0:
                tokens: list[int] = buffer[:count]
                return tokens
            room = -count

    def is_control(self, token: int) -> bool:
        attributes = int(c.llama_vocab_get_attr(self._vocab, token))
        return bool(attributes & _CONTROL_OR_UNUSED) or bool(c.llama_vocab_is_eog(self._vocab, token))

    def piece(self, token: int) -> bytes:
        """The bytes of a token; empty for control and unused tokens."""
        if self.is_control(token):
            return b""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = c.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
            if count >= 0:
                return buffer.raw[:count]
            room = -count


_CONTROL_OR_UNUSED = 1 << 0 | 1 << 1 | 1 << 3  # UNKNOWN, UNUSED, CONTROL in llama.h


def quantize(source: Path, target: Path, kind: str, threads: int) -> None:
    """Writes ``source`` with other weights: the same bytes for the same source and kind."""
    if kind not in QUANTISATIONS:
        raise ModelError(f"no quantisation {kind!r} - one of {', '.join(QUANTISATIONS)}")
    params = c.llama_model_quantize_default_params()
    params.nthread, params.ftype, params.allow_requantize = threads, QUANTISATIONS[kind], True
    code = int(c.llama_model_quantize(os.fsencode(source), os.fsencode(target), ctypes.byref(params)))
    if code:
        raise ModelError(f"{source}: llama.cpp could not write it as {kind} (code {code}) - is the disk full?")
