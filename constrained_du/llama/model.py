"""A language model that scores continuations of saved prefixes, on llama.cpp."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.decoding.backend import Count, Passage, Prefix, Query
from constrained_du.decoding.token_trie import Asked, Line, Row, Trie, groups, log_probabilities
from constrained_du.errors import ContextOverflowError, DecodeError, ModelError
from constrained_du.gguf_files.gguf_header import read_header
from constrained_du.llama.library import Adapter, Context, Tokens, Weights, c

MAX_SEQUENCES = 64  # leaves of a token trie evaluated in one batch; llama.cpp allows 256
BATCH = 512  # tokens of one llama_decode; larger requests are cut at fixed places
TAUGHT = "constrained_du.adapter"  # the key of a GGUF header that names the adapter merged into the weights
CELLS = 512  # of memory to begin with: 12 MB for the default model instead of 71; a request that needs more gets it


class LlamaBackend:
    """A language model that scores continuations of saved prefixes.

    One request at a time: callers hold ``exclusive()`` around everything of one request.
    The memory is emptied before each evaluation, so no answer depends on the one before.
    """

    def __init__(
        self, path: Path, context: int = 2048, threads: int = 2, gpu_layers: int = 0, adapter: Path | None = None
    ) -> None:
        """``adapter`` is a LoRA file that is applied as it runs; pulled models have theirs merged."""
        header = read_header(path)
        if header.architecture in ("bert", "nomic-bert", "jina-bert-v2"):
            raise ModelError(f"{path}: a {header.architecture} file is an embedder, not a language model - pass it as embedder=")
        self.path = path
        self.context = context
        self._threads = threads
        self._weights = Weights(path, gpu_layers)
        self._adapter = None if adapter is None else Adapter(self._weights, adapter)
        self.taught = TAUGHT in header.metadata or adapter is not None
        self._room_for(min(context, CELLS))
        self.tokens = Tokens(self._weights)
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
        return self._grouped(queries, Trie, self.context)

    def read(self, passages: Sequence[Passage]) -> list[list[list[float]]]:
        """For each passage and place the log-probability of each token that may follow, among these."""
        return self._grouped(passages, Line, CELLS)  # their prefixes are long: more memory would buy fewer passes only

    def _grouped(
        self, asked: Sequence[Asked], plan: Callable[[Asked, int, int], Trie | Line], room: int
    ) -> list[list[list[float]]]:
        results: list[list[list[float]]] = []
        for group in groups(asked, self.context, MAX_SEQUENCES, room):
            with self._busy:
                results.extend(self._evaluated(group, plan))
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
        self._context = Context(
            self._weights, self.path, n_ctx=enough, n_batch=BATCH, n_ubatch=BATCH, n_seq_max=MAX_SEQUENCES,
            n_threads=self._threads, n_threads_batch=self._threads, kv_unified=True, flash_attn_type=1, no_perf=True,
        )  # fmt: skip
        if self._adapter is not None:
            self._adapter.apply(self._context)
        self._memory, self._cells = c.llama_get_memory(self._context.pointer), enough
        if resident is not None:
            self._set_state(resident, 0)

    def _state(self) -> bytes:
        """What the memory holds of sequence 0."""
        size = int(c.llama_state_seq_get_size(self._context.pointer, 0))
        buffer = (ctypes.c_uint8 * size)()
        written = int(c.llama_state_seq_get_data(self._context.pointer, buffer, size, 0))
        if written == 0:
            raise DecodeError("llama.cpp could not save the state of a prefix")
        return bytes(buffer[:written])

    def _set_state(self, state: bytes | memoryview, sequence: int) -> None:
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if not c.llama_state_seq_set_data(self._context.pointer, buffer, len(state), sequence):
            raise DecodeError("llama.cpp refused the saved state of a prefix - finalize the artifact again")

    def _clear(self) -> None:
        self._resident_prefix = None
        c.llama_memory_clear(self._memory, False)

    def _restore(self, prefix: Prefix, sequence: int) -> None:
        if prefix.state:
            self._set_state(prefix.state, sequence)

    def _evaluated(self, group: Sequence[Asked], plan: Callable[[Asked, int, int], Trie | Line]) -> list[list[list[float]]]:
        self._room_for(sum(asked.cells for asked in group))
        self._clear()
        sequence = 0
        rows: list[Row] = []
        plans: list[Trie | Line] = []
        for one in group:
            made = plan(one, sequence, len(rows))
            self._restore(one.prefix, sequence)
            for other in range(sequence + 1, sequence + made.leaves):
                c.llama_memory_seq_cp(self._memory, sequence, other, -1, -1)
            rows.extend(made.rows)
            sequence += made.leaves
            plans.append(made)
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
        batch = c.llama_batch_init(len(rows), 0, most)
        try:
            batch.n_tokens = len(rows)
            for i, (token, position, sequences, wanted) in enumerate(rows):
                batch.token[i], batch.pos[i], batch.logits[i] = token, position, wanted
                batch.n_seq_id[i] = len(sequences)
                for j, sequence in enumerate(sequences):
                    batch.seq_id[i][j] = sequence
            code = int(c.llama_decode(self._context.pointer, batch))
        finally:
            c.llama_batch_free(batch)
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
        pointer = c.llama_get_logits_ith(self._context.pointer, row)
        if not pointer:
            raise DecodeError(f"llama.cpp gave no scores for row {row}")
        logits: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.tokens.size,))
        if not np.isfinite(logits.max()):  # one that is no number makes the largest none
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
