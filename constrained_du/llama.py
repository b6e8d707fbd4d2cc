"""llama.cpp through llama-cpp-python's low-level API: the only importer of ``llama_cpp``.

Loads a GGUF file, turns text into tokens (never special ones), evaluates token tries over
saved prefixes, embeds texts, requantises files. Knows nothing of functions or slots.
Every foreign failure becomes an error of this package here.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.backend import Count, Prefix, Query
from constrained_du.errors import ContextOverflowError, DecodeError, GrammarError, ModelError
from constrained_du.gguf_header import read_header
from constrained_du.token_trie import Row, Trie, cells_of, groups, log_probabilities

# OpenMP's threads wait for each other by spinning for milliseconds, which on two cores with a busy
# neighbour makes an answer 3 to 5 times slower (4.6 s to 0.9 s at a load of 6; make bench). Read when
# the library is loaded; whoever sets it keeps theirs.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

try:
    from llama_cpp import llama_cpp as _c
except Exception as failure:  # noqa: BLE001 - a missing library, or one built for another machine
    raise ModelError(f"llama-cpp-python cannot be loaded ({failure}) - reinstall it: pip install llama-cpp-python") from None

MAX_SEQUENCES = 64  # leaves of a token trie evaluated in one batch; llama.cpp allows 256
BATCH = 512  # tokens of one llama_decode; larger requests are cut at fixed places
CELLS = 768  # of memory to begin with: 17 MB for the default model instead of 71; a request that needs more gets it
QUANTISATIONS = {"F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "IQ4_NL": 25, "BF16": 32}

_lock = threading.Lock()
_silent = _c.llama_log_callback(lambda level, text, data: None)


def _initialise() -> None:
    _c.llama_log_set(_silent, ctypes.c_void_p(0))
    _c.llama_backend_init()


_initialise()


class _Weights:
    """A model file in memory; freed when the last reference goes."""

    def __init__(self, path: Path, gpu_layers: int, vocab_only: bool = False) -> None:
        params = _c.llama_model_default_params()
        params.vocab_only = vocab_only
        params.n_gpu_layers = gpu_layers if gpu_layers >= 0 else 2**31 - 1
        with _lock:
            self.pointer: Any = _c.llama_model_load_from_file(os.fsencode(path), params)
        if not self.pointer:
            raise ModelError(f"{path}: llama.cpp cannot load this file - is it a whole GGUF model of a known architecture?")

    def __del__(self) -> None:
        if getattr(self, "pointer", None) and _c is not None:
            _c.llama_model_free(self.pointer)
            self.pointer = None


class _Context:
    """Working memory beside the weights; one caller at a time."""

    def __init__(self, weights: _Weights, path: Path, **settings: int | bool) -> None:
        self._weights = weights
        self.pointer: Any = None
        params = _c.llama_context_default_params()
        for name, value in settings.items():
            setattr(params, name, value)
        with _lock:
            self.pointer = _c.llama_init_from_model(weights.pointer, params)
        if not self.pointer:
            raise ModelError(f"{path}: not enough memory for a context of {params.n_ctx} tokens - lower context=")

    def __del__(self) -> None:
        if getattr(self, "pointer", None) and _c is not None:
            _c.llama_free(self.pointer)
            self.pointer = None


class _Tokens:
    """The tokenizer of a model."""

    def __init__(self, weights: _Weights) -> None:
        self._vocab = _c.llama_model_get_vocab(weights.pointer)
        self._weights = weights
        self.size = int(_c.llama_vocab_n_tokens(self._vocab))
        self.bos = int(_c.llama_vocab_bos(self._vocab))
        self.eos = int(_c.llama_vocab_eos(self._vocab))
        self.adds_bos = bool(_c.llama_vocab_get_add_bos(self._vocab))

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Token ids of a text; markers such as ``<|im_end|>`` in it are plain text."""
        data = text.encode("utf-8")
        room = len(data) + 8
        while True:
            buffer = (_c.llama_token * room)()
            count = _c.llama_tokenize(self._vocab, data, len(data), buffer, room, special, False)
            if count >= 0:
                return buffer[:count]
            room = -count

    def is_control(self, token: int) -> bool:
        attributes = int(_c.llama_vocab_get_attr(self._vocab, token))
        return bool(attributes & _CONTROL_OR_UNUSED) or bool(_c.llama_vocab_is_eog(self._vocab, token))

    def piece(self, token: int) -> bytes:
        """The bytes of a token; empty for control and unused tokens."""
        if self.is_control(token):
            return b""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = _c.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
            if count >= 0:
                return buffer.raw[:count]
            room = -count


_CONTROL_OR_UNUSED = 1 << 0 | 1 << 1 | 1 << 3  # UNKNOWN, UNUSED, CONTROL in llama.h


class LlamaBackend:
    """A language model that scores continuations of saved prefixes.

    One request at a time: callers hold ``exclusive()`` around everything of one request.
    The memory is emptied before each evaluation, so no answer depends on the one before.
    """

    def __init__(self, path: Path, context: int = 2048, threads: int = 2, gpu_layers: int = 0) -> None:
        header = read_header(path)
        if header.architecture in ("bert", "nomic-bert", "jina-bert-v2"):
            raise ModelError(f"{path}: a {header.architecture} file is an embedder, not a language model - pass it as embedder=")
        self.path = path
        self.context = context
        self._threads = threads
        self._weights = _Weights(path, gpu_layers)
        self._room_for(min(context, CELLS))
        self.tokens = _Tokens(self._weights)
        self._busy = threading.RLock()
        self._count = Count()

    # -- the Backend protocol ----------------------------------------------------------

    @property
    def vocabulary_size(self) -> int:
        return self.tokens.size

    def encode(self, text: str) -> list[int]:
        return self.tokens.encode(text)

    def piece(self, token: int) -> bytes:
        return self.tokens.piece(token)

    @property
    def start_tokens(self) -> tuple[int, ...]:
        """What every prompt begins with."""
        return (self.tokens.bos,) if self.tokens.bos >= 0 else ()

    @property
    def served_start(self) -> tuple[int, ...]:
        """What a serving engine puts before a prompt: the file says whether it wants a start token."""
        return self.start_tokens if self.tokens.adds_bos else ()

    @property
    def end_token(self) -> int:
        return self.tokens.eos

    def exclusive(self) -> AbstractContextManager[Count]:
        return _Exclusive(self._busy, self._count)

    def prefix(self, tokens: Sequence[int]) -> Prefix:
        """Evaluates a prefix and saves its state; the last token stays to be evaluated."""
        body = list(tokens[:-1])
        if not body:
            return Prefix(tuple(tokens), b"")
        self._check_room(len(body))
        with self._busy:
            self._room_for(len(body))
            self._clear()
            for start in range(0, len(body), BATCH):
                part = body[start : start + BATCH]
                self._evaluate([(token, start + i, (0,), False) for i, token in enumerate(part)])
            return Prefix(tuple(tokens), self._state())

    def score(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        """Log-probabilities (natural) of every scored token of every continuation of every query.

        Continuations of one query share their common beginnings; all is evaluated in as
        few passes as the number of sequences and the batch allow.
        """
        results: list[list[list[float]]] = []
        for group in groups(queries, self.context, MAX_SEQUENCES):
            with self._busy:
                results.extend(self._score_group(group))
        return results

    def next_logits(self, prefix: Prefix, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Logits (vocabulary_size,) after the prefix and these tokens; for greedy decoding.

        Evaluates only what is not in memory yet: a call that continues the previous one
        with the same prefix costs the new tokens.
        """
        with self._busy:
            wanted = [*prefix.tokens, *tokens]
            self._check_room(len(wanted))
            self._room_for(len(wanted))
            known = self._resident if self._resident_prefix is prefix else None
            if known is None or known != wanted[: len(known)] or len(known) >= len(wanted):
                self._clear()
                self._restore(prefix, 0)
                known = list(prefix.tokens[:-1])
            for start in range(len(known), len(wanted), BATCH):
                part = wanted[start : start + BATCH]
                last = start + len(part) == len(wanted)
                self._evaluate([(t, start + i, (0,), last and i == len(part) - 1) for i, t in enumerate(part)])
            self._resident_prefix, self._resident = prefix, wanted
            logits: NDArray[np.float32] = self._logits(len(part) - 1).copy()
            return logits

    _resident_prefix: Prefix | None = None
    _resident: list[int] | None = None

    # -- inside ------------------------------------------------------------------------

    def _check_room(self, needed: int) -> None:
        if needed > self.context:
            raise ContextOverflowError(
                f"{needed} tokens are needed and the context holds {self.context} tokens - shorten the input or raise context="
            )

    _context: Any = None
    _cells = 0

    def _room_for(self, cells: int) -> None:
        """Working memory for that many tokens at once; how much there is changes no score."""
        if cells <= self._cells:
            return
        resident = None if self._resident_prefix is None else self._state()
        self._cells, self._context = 0, None  # freed before the larger one is made
        enough = min(self.context, -(-cells // CELLS) * CELLS)
        self._context = _Context(
            self._weights, self.path, n_ctx=enough, n_batch=BATCH, n_ubatch=BATCH, n_seq_max=MAX_SEQUENCES,
            n_threads=self._threads, n_threads_batch=self._threads, kv_unified=True, flash_attn_type=1, no_perf=True,
        )  # fmt: skip
        self._memory, self._cells = _c.llama_get_memory(self._context.pointer), enough
        if resident is not None:
            self._set_state(resident, 0)

    def _state(self) -> bytes:
        """What the memory holds of sequence 0."""
        size = int(_c.llama_state_seq_get_size(self._context.pointer, 0))
        buffer = (ctypes.c_uint8 * size)()
        written = int(_c.llama_state_seq_get_data(self._context.pointer, buffer, size, 0))
        if written == 0:
            raise DecodeError("llama.cpp could not save the state of a prefix")
        return bytes(buffer[:written])

    def _set_state(self, state: bytes | memoryview, sequence: int) -> None:
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if not _c.llama_state_seq_set_data(self._context.pointer, buffer, len(state), sequence):
            raise DecodeError("llama.cpp refused the saved state of a prefix - finalize the artifact again")

    def _clear(self) -> None:
        self._resident_prefix = None
        _c.llama_memory_clear(self._memory, False)

    def _restore(self, prefix: Prefix, sequence: int) -> None:
        if prefix.state:
            self._set_state(prefix.state, sequence)

    def _score_group(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        self._room_for(sum(map(cells_of, queries)))
        self._clear()
        sequence = 0
        rows: list[Row] = []
        plans: list[Trie] = []
        for query in queries:
            trie = Trie(query, first_sequence=sequence, first_row=len(rows))
            self._restore(query.prefix, sequence)
            for other in range(sequence + 1, sequence + trie.leaves):
                _c.llama_memory_seq_cp(self._memory, sequence, other, -1, -1)
            rows.extend(trie.rows)
            sequence += trie.leaves
            plans.append(trie)
        asked = {row: tokens for plan in plans for row, tokens in plan.asked.items()}
        logs: dict[int, dict[int, float]] = {}
        for start in range(0, len(rows), BATCH):
            part = rows[start : start + BATCH]
            self._evaluate(part)
            for index, (_, _, _, wanted) in enumerate(part):
                if wanted:  # a row has the whole vocabulary: what is asked of it is read before the next
                    logs[start + index] = log_probabilities(self._logits(index), asked[start + index])
        return [plan.read(logs) for plan in plans]

    def _evaluate(self, rows: Sequence[Row]) -> None:
        """One forward pass over (token, position, sequences, wants logits)."""
        most = max(len(sequences) for _, _, sequences, _ in rows)
        batch = _c.llama_batch_init(len(rows), 0, most)
        try:
            batch.n_tokens = len(rows)
            for i, (token, position, sequences, wanted) in enumerate(rows):
                batch.token[i], batch.pos[i], batch.logits[i] = token, position, wanted
                batch.n_seq_id[i] = len(sequences)
                for j, sequence in enumerate(sequences):
                    batch.seq_id[i][j] = sequence
            code = int(_c.llama_decode(self._context.pointer, batch))
        finally:
            _c.llama_batch_free(batch)
        if code == 1:
            raise ContextOverflowError(
                f"the request needs more than the {self.context} tokens of the context - shorten it or raise context="
            )
        if code:
            raise DecodeError(f"llama_decode failed with code {code} on {len(rows)} tokens")
        self._count.tokens += len(rows)
        self._count.passes += 1

    def _logits(self, row: int) -> NDArray[np.float32]:
        """llama.cpp's own numbers (vocabulary_size,), valid until the next pass."""
        pointer = _c.llama_get_logits_ith(self._context.pointer, row)
        if not pointer:
            raise DecodeError(f"llama.cpp gave no scores for row {row}")
        logits: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.tokens.size,))
        if not np.isfinite(logits).all():
            raise DecodeError("the model gave scores that are not numbers - is the file damaged?")
        return logits


class _Exclusive(AbstractContextManager[Count]):
    """The lock of one request, with its own counts of tokens and passes."""

    def __init__(self, lock: Any, count: Count) -> None:
        self._lock, self._total = lock, count

    def __enter__(self) -> Count:
        self._lock.acquire()
        self._total.reset()
        return self._total

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.release()


# ---- embeddings ------------------------------------------------------------------------


class LlamaEmbedder:
    """A sentence embedder: texts → unit vectors. One text a pass, so that equal texts give equal bytes."""

    def __init__(self, path: Path, context: int = 512, threads: int = 1, gpu_layers: int = 0) -> None:
        self.path = path
        self.context = context
        self._weights = _Weights(path, gpu_layers)
        self._context = _Context(
            self._weights, path, n_ctx=context, n_batch=context, n_ubatch=context, n_seq_max=1, n_threads=threads,
            n_threads_batch=threads, embeddings=True, pooling_type=1, no_perf=True,
        )  # fmt: skip
        self._tokens = _Tokens(self._weights)
        self.size = int(_c.llama_model_n_embd(self._weights.pointer))
        self._busy = threading.Lock()
        self._cls = int(_c.llama_vocab_bos(_c.llama_model_get_vocab(self._weights.pointer)))
        self._sep = int(_c.llama_vocab_sep(_c.llama_model_get_vocab(self._weights.pointer)))

    def embed(self, text: str) -> NDArray[np.float32]:
        """A unit vector (size,); a text beyond the context is cut, which only blurs it."""
        body = self._tokens.encode(text)[: self.context - 2]
        tokens = [token for token in (self._cls, *body, self._sep) if token >= 0]
        with self._busy:
            batch = _c.llama_batch_init(len(tokens), 0, 1)
            try:
                batch.n_tokens = len(tokens)
                for i, token in enumerate(tokens):
                    batch.token[i], batch.pos[i], batch.logits[i] = token, i, True
                    batch.n_seq_id[i], batch.seq_id[i][0] = 1, 0
                memory = _c.llama_get_memory(self._context.pointer)
                if memory:
                    _c.llama_memory_clear(memory, True)
                evaluate = _c.llama_encode if self._sep >= 0 else _c.llama_decode  # a language model has no SEP
                code = int(evaluate(self._context.pointer, batch))
            finally:
                _c.llama_batch_free(batch)
            pointer = None if code else _c.llama_get_embeddings_seq(self._context.pointer, 0)
            if not pointer:
                raise DecodeError(f"{self.path}: the embedder failed with code {code}")
            vector: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.size,)).astype(np.float32).copy()
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            raise DecodeError(f"{self.path}: the embedder gave numbers that are none")
        vector /= np.float32(length)
        return vector


# ---- grammars --------------------------------------------------------------------------


class GbnfReader:
    """llama.cpp's own reader of GBNF: the judge of what ``emit`` writes. Evaluates no model.

    Loads the vocabulary of a GGUF file only. Texts are read token by token, as its sampler does.
    """

    def __init__(self, path: Path) -> None:
        self._weights = _Weights(path, 0, vocab_only=True)
        self._tokens = _Tokens(self._weights)
        self._vocab = _c.llama_model_get_vocab(self._weights.pointer)

    def can_say(self, text: str) -> bool:
        """Whether the vocabulary has a token for every byte of the text: SmolLM2's lacks F1 and F2."""
        return b"".join(map(self._tokens.piece, self._tokens.encode(text))) == text.encode("utf-8")

    def accepts(self, gbnf: str, texts: Sequence[str]) -> list[bool]:
        """Whether the grammar has each text, whole. Raises GrammarError if llama.cpp cannot read the grammar.

        Only for texts that the vocabulary can say.
        """
        start = self._sampler(gbnf)
        try:
            return [self._reads(start, text) for text in texts]
        finally:
            _c.llama_sampler_free(start)

    def greedy(self, gbnf: str, next_logits: Callable[[list[int]], NDArray[np.float32]], most: int = 512) -> list[int]:
        """The tokens of the answer that always takes the likeliest token that the grammar allows."""
        sampler = self._sampler(gbnf)
        tokens: list[int] = []
        try:
            while len(tokens) < most:
                allowed = self._masked(sampler, np.arange(self._tokens.size, dtype=np.int32), next_logits(list(tokens)))
                token = int(allowed.argmax())
                if token == self._tokens.eos or not np.isfinite(allowed[token]):
                    return tokens
                _c.llama_sampler_accept(sampler, token)
                tokens.append(token)
        finally:
            _c.llama_sampler_free(sampler)
        raise DecodeError(f"an answer of more than {most} tokens - bound the free text with maxLength")

    def _sampler(self, gbnf: str) -> Any:
        sampler = _c.llama_sampler_init_grammar(self._vocab, gbnf.encode("utf-8"), b"root")
        if not sampler:
            raise GrammarError(f"llama.cpp cannot read the grammar that begins {gbnf[:80]!r}")
        return sampler

    def _reads(self, start: Any, text: str) -> bool:
        sampler = _c.llama_sampler_clone(start)
        try:
            for token in [*self._tokens.encode(text), self._tokens.eos]:
                if not np.isfinite(self._masked(sampler, np.array([token], np.int32), np.zeros(1, np.float32)))[0]:
                    return False
                if token != self._tokens.eos:
                    _c.llama_sampler_accept(sampler, token)
            return True
        finally:
            _c.llama_sampler_free(sampler)

    @staticmethod
    def _masked(sampler: Any, tokens: NDArray[np.int32], logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits, minus infinity where the grammar forbids the token."""
        rows = (_c.llama_token_data * len(tokens))()
        row = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        view: NDArray[Any] = np.frombuffer(memoryview(rows), dtype=row)
        view["id"], view["logit"] = tokens, logits
        candidates = _c.llama_token_data_array(rows, len(tokens), -1, False)
        _c.llama_sampler_apply(sampler, ctypes.byref(candidates))
        masked: NDArray[np.float32] = view["logit"].copy()
        return masked


# ---- files -----------------------------------------------------------------------------


def quantize(source: Path, target: Path, kind: str, threads: int) -> None:
    """Writes ``source`` with other weights: the same bytes for the same source and kind."""
    if kind not in QUANTISATIONS:
        raise ModelError(f"no quantisation {kind!r} - one of {', '.join(QUANTISATIONS)}")
    params = _c.llama_model_quantize_default_params()
    params.nthread, params.ftype, params.allow_requantize = threads, QUANTISATIONS[kind], True
    code = int(_c.llama_model_quantize(os.fsencode(source), os.fsencode(target), ctypes.byref(params)))
    if code:
        raise ModelError(f"{source}: llama.cpp could not write it as {kind} (code {code}) - is the disk full?")
