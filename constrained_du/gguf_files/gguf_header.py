"""Reads and judges the header of a GGUF file before native code sees the file.

One job: from a path, either a :class:`GgufHeader` or a ``ModelError`` that names the
path and a way out. It must not know models, registries or llama.cpp, never touches
tensor data, and holds at most one chunk and one string of the file in memory, whatever
the counts in it claim. Everything that llama.cpp would reject, or on which it would
abort the process (``block_count`` above 512 is an assertion there), is refused here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from constrained_du.gguf_files.gguf_parse import (
    MAX_ARRAY,
    STRING,
    ArrayInfo,
    Scalar,
    TensorInfo,
    clip,
    open_plain,
    read_layout,
    refuse,
)

Kind: TypeAlias = Literal["language", "embedder"]


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says about itself. ``size`` is the file's, ``data_offset`` where tensors begin."""

    path: Path
    version: int
    size: int
    data_offset: int
    metadata: Mapping[str, Scalar | ArrayInfo]
    tensors: tuple[TensorInfo, ...]

    @property
    def architecture(self) -> str:
        return str(self.metadata["general.architecture"])

    @property
    def kind(self) -> Kind:
        """An embedder is a model that looks both ways or says how to pool its states."""
        causal = self.metadata.get(f"{self.architecture}.attention.causal", True)
        pooled = self.metadata.get(f"{self.architecture}.pooling_type", 0)
        return "embedder" if causal is False or pooled not in (0, None) else "language"

    @property
    def context_length(self) -> int | None:
        return self._integer("context_length")

    @property
    def embedding_length(self) -> int | None:
        return self._integer("embedding_length")

    @property
    def block_count(self) -> int | None:
        return self._integer("block_count")

    @property
    def vocabulary_size(self) -> int:
        tokens = self.metadata.get("tokenizer.ggml.tokens")
        return tokens.count if isinstance(tokens, ArrayInfo) else 0

    @property
    def chat_template(self) -> str | None:
        template = self.metadata.get("tokenizer.chat_template")
        return template if isinstance(template, str) else None

    def text(self, key: str) -> str | None:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else None

    def _integer(self, key: str) -> int | None:
        value = self.metadata.get(f"{self.architecture}.{key}")
        return value if isinstance(value, int) else None


def read_header(path: str | os.PathLike[str], kind: Kind | None = None) -> GgufHeader:
    """The checked header of the file at ``path``; ``kind`` also demands that sort of model.

    Reads the header alone (some 20 ms for 49,000 tokens). Raises ``ModelError``.
    """
    place = Path(path)
    with open_plain(place) as file:
        header = GgufHeader(place, *read_layout(place, file))
    _check_metadata(header)
    if kind is not None and header.kind != kind:
        wanted = {"language": "a language model", "embedder": "an embedding model"}
        refuse(place, f"is {wanted[header.kind]} ({header.architecture}), not {wanted[kind]}")
    return header


# Hyperparameters on which llama.cpp aborts, divides or allocates: suffix of the key -> largest value.
_BOUNDS = {
    "block_count": 512,  # LLAMA_MAX_LAYERS, an assertion
    "context_length": 1 << 27,
    "embedding_length": 1 << 18,
    "attention.head_count": 1 << 12,
    "attention.head_count_kv": 1 << 12,
    "attention.key_length": 1 << 16,
    "attention.value_length": 1 << 16,
    "feed_forward_length": 1 << 22,
    "rope.dimension_count": 1 << 16,
    "vocab_size": MAX_ARRAY,
}
_MAY_BE_ZERO = {"attention.head_count_kv", "rope.dimension_count", "feed_forward_length"}


def _check_metadata(header: GgufHeader) -> None:
    architecture = header.metadata.get("general.architecture")
    if not isinstance(architecture, str) or not architecture.isascii() or not 0 < len(architecture) <= 64:
        refuse(header.path, f"names no architecture (general.architecture: {clip(architecture)})")
    if header.metadata.get("general.type", "model") != "model":
        refuse(header.path, f"is no model: general.type is {clip(header.metadata['general.type'])}")
    if header.metadata.get("split.count", 1) not in (0, 1):
        refuse(header.path, "is one part of a split model", "join the parts with `llama-gguf-split --merge`")
    for suffix, most in _BOUNDS.items():
        _check_bound(header, f"{architecture}.{suffix}", 0 if suffix in _MAY_BE_ZERO else 1, most)
    for required in ("block_count", "context_length", "embedding_length"):
        if header._integer(required) is None:
            refuse(header.path, f"lacks the number {architecture}.{required}")
    _check_vocabulary(header)


def _check_bound(header: GgufHeader, key: str, least: int, most: int) -> None:
    value = header.metadata.get(key)
    if isinstance(value, ArrayInfo):  # per layer
        if value.count > _BOUNDS["block_count"]:
            refuse(header.path, f"is damaged: {key} has {value.count} entries")
    elif value is not None and (type(value) is not int or not least <= value <= most):
        refuse(header.path, f"is damaged: {key} is {clip(value)}, possible are {least} to {most}")


def _check_vocabulary(header: GgufHeader) -> None:
    """Per-token arrays are as long as the vocabulary, special tokens lie in it, each token has a vector."""
    tokens = header.metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, ArrayInfo) or tokens.type != STRING or not tokens.count:
        refuse(header.path, "holds no vocabulary (tokenizer.ggml.tokens)")
    for name, types in (("scores", (5, 6)), ("token_type", (5,))):
        per_token = header.metadata.get(f"tokenizer.ggml.{name}")
        if per_token is None:
            continue
        fits = (
            isinstance(per_token, ArrayInfo) and per_token.type in types and per_token.count == tokens.count
        )
        if not fits:
            refuse(header.path, f"is damaged: tokenizer.ggml.{name} does not fit its {tokens.count} tokens")
    for key, value in header.metadata.items():
        if not (key.startswith("tokenizer.ggml.") and key.endswith("_token_id")):
            continue
        if type(value) is not int or not (0 <= value < tokens.count or value in (-1, 0xFFFFFFFF)):
            refuse(header.path, f"is damaged: {clip(key)} is {clip(value)} of {tokens.count} tokens")
    embedding = next((t for t in header.tensors if t.name == "token_embd.weight"), None)
    if embedding is not None and embedding.shape != (header.embedding_length, embedding.shape[-1]):
        refuse(header.path, f"is damaged: token_embd.weight has the shape {embedding.shape}")
    if embedding is not None and embedding.shape[-1] < tokens.count:
        refuse(header.path, f"is damaged: {tokens.count} tokens but {embedding.shape[-1]} token vectors")
