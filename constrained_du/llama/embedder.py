"""A sentence embedder on llama.cpp: texts to unit vectors."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from constrained_du.errors import DecodeError
from constrained_du.llama.library import Context, Tokens, Weights, c


class LlamaEmbedder:
    """A sentence embedder: texts → unit vectors. One text a pass, so that equal texts give equal bytes."""

    def __init__(self, path: Path, context: int = 512, threads: int = 1, gpu_layers: int = 0) -> None:
        self.path = path
        self.context = context
        self._weights = Weights(path, gpu_layers)
        self._context = Context(
            self._weights, path, n_ctx=context, n_batch=context, n_ubatch=context, n_seq_max=1, n_threads=threads,
            n_threads_batch=threads, embeddings=True, pooling_type=1, no_perf=True,
        )  # fmt: skip
        self._tokens = Tokens(self._weights)
        self.size = int(c.llama_model_n_embd(self._weights.pointer))
        self._busy = threading.Lock()
        self._cls = int(c.llama_vocab_bos(c.llama_model_get_vocab(self._weights.pointer)))
        self._sep = int(c.llama_vocab_sep(c.llama_model_get_vocab(self._weights.pointer)))

    def embed(self, text: str) -> NDArray[np.float32]:
        """A unit vector (size,); a text beyond the context is cut, which only blurs it."""
        body = self._tokens.encode(text)[: self.context - 2]
        tokens = [token for token in (self._cls, *body, self._sep) if token >= 0]
        with self._busy:
            batch = c.llama_batch_init(len(tokens), 0, 1)
            try:
                batch.n_tokens = len(tokens)
                for i, token in enumerate(tokens):
                    batch.token[i], batch.pos[i], batch.logits[i] = token, i, True
                    batch.n_seq_id[i], batch.seq_id[i][0] = 1, 0
                memory = c.llama_get_memory(self._context.pointer)
                if memory:
                    c.llama_memory_clear(memory, True)
                evaluate = c.llama_encode if self._sep >= 0 else c.llama_decode  # a language model has no SEP
                code = int(evaluate(self._context.pointer, batch))
            finally:
                c.llama_batch_free(batch)
            pointer = None if code else c.llama_get_embeddings_seq(self._context.pointer, 0)
            if not pointer:
                raise DecodeError(f"{self.path}: the embedder failed with code {code}")
            vector: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.size,)).astype(np.float32).copy()
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            raise DecodeError(f"{self.path}: the embedder gave numbers that are none")
        vector /= np.float32(length)
        return vector
