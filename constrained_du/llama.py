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
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.backend import Count, Prefix, Query, log_sum_exp
from constrained_du.errors import ContextOverflowError, DecodeError, GrammarError, ModelError
from constrained_du.gguf_header import read_header

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
        self._weights = _Weights(path, gpu_layers)
        self._context = _Context(
            self._weights, path, n_ctx=context, n_batch=BATCH, n_ubatch=BATCH, n_seq_max=MAX_SEQUENCES,
            n_threads=threads, n_threads_batch=threads, kv_unified=True, flash_attn_type=1, no_perf=True,
        )  # fmt: skip
        self._memory = _c.llama_get_memory(self._context.pointer)
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
            self._clear()
            for start in range(0, len(body), BATCH):
                part = body[start : start + BATCH]
                self._decode([(token, start + i, (0,), False) for i, token in enumerate(part)])
            size = int(_c.llama_state_seq_get_size(self._context.pointer, 0))
            buffer = (ctypes.c_uint8 * size)()
            written = int(_c.llama_state_seq_get_data(self._context.pointer, buffer, size, 0))
        if written == 0:
            raise DecodeError("llama.cpp could not save the state of a prefix")
        return Prefix(tuple(tokens), bytes(buffer[:written]))

    def score(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        """Log-probabilities (natural) of every scored token of every continuation of every query.

        Continuations of one query share their common beginnings; all is evaluated in as
        few passes as the number of sequences and the batch allow.
        """
        results: list[list[list[float]]] = []
        for group in _groups(queries, self.context):
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
            known = self._resident if self._resident_prefix is prefix else None
            if known is None or known != wanted[: len(known)] or len(known) >= len(wanted):
                self._clear()
                self._restore(prefix, 0)
                known = list(prefix.tokens[:-1])
            for start in range(len(known), len(wanted), BATCH):
                part = wanted[start : start + BATCH]
                last = start + len(part) == len(wanted)
                rows = self._decode(
                    [(t, start + i, (0,), last and i == len(part) - 1) for i, t in enumerate(part)]
                )
            self._resident_prefix, self._resident = prefix, wanted
            return rows[0]

    _resident_prefix: Prefix | None = None
    _resident: list[int] | None = None

    # -- inside ------------------------------------------------------------------------

    def _check_room(self, needed: int) -> None:
        if needed > self.context:
            raise ContextOverflowError(
                f"{needed} tokens are needed and the context holds {self.context} tokens - shorten the input or raise context="
            )

    def _clear(self) -> None:
        self._resident_prefix = None
        _c.llama_memory_clear(self._memory, False)

    def _restore(self, prefix: Prefix, sequence: int) -> None:
        if not prefix.state:
            return
        buffer = (ctypes.c_uint8 * len(prefix.state)).from_buffer_copy(prefix.state)
        if not _c.llama_state_seq_set_data(self._context.pointer, buffer, len(prefix.state), sequence):
            raise DecodeError("llama.cpp refused the saved state of a prefix - finalize the artifact again")

    def _score_group(self, queries: Sequence[Query]) -> list[list[list[float]]]:
        self._clear()
        sequence = 0
        rows: list[tuple[int, int, tuple[int, ...], bool]] = []
        plans: list[_Trie] = []
        for query in queries:
            trie = _Trie(query, first_sequence=sequence, first_row=len(rows))
            self._restore(query.prefix, sequence)
            for other in range(sequence + 1, sequence + trie.leaves):
                _c.llama_memory_seq_cp(self._memory, sequence, other, -1, -1)
            rows.extend(trie.rows)
            sequence += trie.leaves
            plans.append(trie)
        logs: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(rows), BATCH):
            part = rows[start : start + BATCH]
            logits = iter(self._decode(part))
            for index, row in enumerate(part):
                if row[3]:
                    logs[start + index] = next(logits)
        return [plan.read(logs) for plan in plans]

    def _decode(self, rows: Sequence[tuple[int, int, tuple[int, ...], bool]]) -> list[NDArray[np.float32]]:
        """One forward pass over (token, position, sequences, wants logits); the wanted rows."""
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
        return [self._logits(i) for i, row in enumerate(rows) if row[3]]

    def _logits(self, row: int) -> NDArray[np.float32]:
        pointer = _c.llama_get_logits_ith(self._context.pointer, row)
        if not pointer:
            raise DecodeError(f"llama.cpp gave no scores for row {row}")
        logits: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.tokens.size,)).copy()
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


class _Trie:
    """The continuations of one query as a token trie, laid out as batch rows."""

    def __init__(self, query: Query, first_sequence: int, first_row: int) -> None:
        base = len(query.prefix.tokens) - 1
        self.query = query
        lead = () if query.prefix.state else query.prefix.tokens[:-1]  # no saved state: evaluated here
        children: list[dict[int, int]] = [{}]
        token_of, depth, leaves_of = [query.prefix.tokens[-1]], [0], [list[int]()]
        self._paths: list[list[int]] = []
        for tokens in query.continuations:
            node, path = 0, [0]
            for token in tokens:
                if token not in children[node]:
                    children[node][token] = len(children)
                    children.append({})
                    token_of.append(token)
                    depth.append(depth[node] + 1)
                    leaves_of.append([])
                node = children[node][token]
                path.append(node)
            self._paths.append(path)
        ends = {path[-1] for path in self._paths}
        tips = [node for node in sorted(ends) if not children[node]] or [0]
        number = {node: first_sequence + i for i, node in enumerate(tips)}
        self.leaves = len(tips)
        for path in self._paths:
            if path[-1] in number:
                for node in path:
                    if number[path[-1]] not in leaves_of[node]:
                        leaves_of[node].append(number[path[-1]])
        if not leaves_of[0]:
            leaves_of[0] = [first_sequence]
        # A node without children is not evaluated: its probability is its parent's row.
        kept = [node for node in range(len(children)) if children[node] or node == 0]
        self._row = {node: first_row + len(lead) + i for i, node in enumerate(kept)}
        everywhere = tuple(sorted(leaves_of[0]))
        self.rows = [(token, position, everywhere, False) for position, token in enumerate(lead)]
        self.rows += [
            (token_of[n], base + depth[n], tuple(sorted(leaves_of[n])), bool(children[n]) and depth[n] >= query.given)
            for n in kept
        ]
        self._token_of = token_of

    def read(self, logits: dict[int, NDArray[np.float32]]) -> list[list[float]]:
        normalisers: dict[int, float] = {}
        result: list[list[float]] = []
        for path in self._paths:
            scores: list[float] = []
            for parent, node in list(pairwise(path))[self.query.given :]:
                row = self._row[parent]
                if row not in normalisers:
                    normalisers[row] = log_sum_exp(logits[row])
                scores.append(float(logits[row][self._token_of[node]]) - normalisers[row])
            result.append(scores)
        return result


def _groups(queries: Sequence[Query], context: int) -> list[list[Query]]:
    """Queries that fit together into the sequences and the memory of one evaluation."""
    groups: list[list[Query]] = []
    sequences = cells = 0
    for query in (part for whole in queries for part in _parts(whole)):
        leaves = len(query.continuations)
        needed = len(query.prefix.tokens) + sum(map(len, query.continuations))
        if needed > context:
            raise ContextOverflowError(
                f"{needed} tokens are needed and the context holds {context} tokens - shorten the input or raise context="
            )
        if not groups or sequences + leaves > MAX_SEQUENCES or cells + needed > context:
            groups.append([])
            sequences = cells = 0
        groups[-1].append(query)
        sequences += leaves
        cells += needed
    return groups


def _parts(query: Query) -> list[Query]:
    if len(query.continuations) <= MAX_SEQUENCES:
        return [query]
    raise ValueError(f"at most {MAX_SEQUENCES} continuations a query, not {len(query.continuations)}")


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
