"""A GGUF header is read, or refused with the path and a way out: nothing else ever comes out.

The files are made by the ``gguf`` package (an independent writer) or byte by byte.
"""

from __future__ import annotations

import os
import resource
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constrained_du.errors import ModelError
from constrained_du.gguf_files.gguf_header import read_header
from constrained_du.gguf_files.gguf_parse import ArrayInfo

WORDS = ["<s>", "</s>", "a", "b", "ab", "\u2581the"]


def tiny(path: Path, change: Callable[[Any], None] | None = None, architecture: str = "llama") -> Path:
    """A whole, very small model file; ``change`` may add to the writer before it is written."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(1)
    writer.add_context_length(128)
    writer.add_embedding_length(32)
    writer.add_token_list(WORDS)
    writer.add_token_scores([0.0] * len(WORDS))
    writer.add_token_types([1] * len(WORDS))
    writer.add_eos_token_id(1)
    if change:
        change(writer)
    writer.add_tensor("token_embd.weight", np.zeros((len(WORDS), 32), dtype=np.float32))
    writer.add_tensor("output_norm.weight", np.ones(32, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<i", kind) + value


def number(key: str, value: int) -> bytes:
    return pair(key, 4, struct.pack("<I", value))


def tensor(name: str, shape: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    dimensions = struct.pack(f"<I{len(shape)}q", len(shape), *shape)
    return text(name) + dimensions + struct.pack("<iQ", kind, offset)


BASE = (
    pair("general.architecture", 8, text("llama")),
    number("llama.block_count", 1),
    number("llama.context_length", 8),
    number("llama.embedding_length", 32),
    pair("tokenizer.ggml.tokens", 9, struct.pack("<iQ", 8, 2) + text("a") + text("b")),
)
HALF = struct.pack("<f", 0.5)
FLOATS = struct.pack("<iQ", 6, 2) + HALF * 2
TENSOR = tensor("token_embd.weight", (32, 2))


def raw(
    pairs: tuple[bytes, ...] = BASE,
    tensors: tuple[bytes, ...] = (TENSOR,),
    *,
    counts: tuple[int, int] | None = None,
    version: int = 3,
    body: int = 32 * 2 * 4,
) -> bytes:
    """A file written byte by byte; ``counts`` overrides what it claims to hold (tensors, pairs)."""
    counts = counts or (len(tensors), len(pairs))
    head = b"GGUF" + struct.pack("<Iqq", version, *counts) + b"".join(pairs) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + bytes(body)


def refused(path: Path, *words: str) -> str:
    with pytest.raises(ModelError) as caught:
        read_header(path)
    message = str(caught.value)
    assert repr(str(path))[1:-1] in message and " - " in message, "names neither the path nor a way out"
    assert "\n" not in message
    for word in words:
        assert word in message, message
    return message


def test_a_whole_file_tells_what_it_is(tmp_path: Path) -> None:
    path = tiny(tmp_path / "m.gguf", lambda w: w.add_chat_template("{{ messages }}"))
    header = read_header(path)
    assert (header.architecture, header.kind, header.chat_template) == ("llama", "language", "{{ messages }}")
    assert (header.context_length, header.embedding_length, header.block_count) == (128, 32, 1)
    assert header.vocabulary_size == len(WORDS)
    assert header.metadata["tokenizer.ggml.tokens"] == ArrayInfo(8, len(WORDS))
    assert header.size == path.stat().st_size


def test_tensor_places_agree_with_the_gguf_package(tmp_path: Path) -> None:
    path = tiny(tmp_path / "m.gguf")
    header = read_header(path)
    there = [
        (t.name, tuple(map(int, t.shape)), int(t.data_offset), int(t.n_bytes))
        for t in gguf.GGUFReader(path).tensors
    ]
    assert [(t.name, t.shape, header.data_offset + t.offset, t.size) for t in header.tensors] == there


def test_every_tensor_type_has_the_size_that_the_gguf_package_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    for kind, (elements, width) in gguf.GGML_QUANT_SIZES.items():
        extra = tensor("x", (elements * 2, 3), int(kind), 256)
        path.write_bytes(raw(tensors=(TENSOR, extra), body=256 + 6 * width))
        assert read_header(path).tensors[1].size == 6 * width, kind
        path.write_bytes(raw(tensors=(TENSOR, extra), body=256 + 6 * width - 1))
        refused(path, "cut off")


def test_an_embedder_is_told_from_a_language_model(tmp_path: Path) -> None:
    def bert(writer: Any) -> None:
        writer.add_causal_attention(False)
        writer.add_pooling_type(gguf.PoolingType.MEAN)

    path = tiny(tmp_path / "m.gguf", bert, "bert")
    assert read_header(path, "embedder").kind == "embedder"
    with pytest.raises(ModelError, match="is an embedding model .bert., not a language model"):
        read_header(path, "language")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["is empty"]),
        (b"hello, this is text\n", ["is text", "hello, t"]),
        (bytes(range(256)), ["is something else"]),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", ["Git LFS pointer", "git lfs pull"]),
        (b"<!DOCTYPE html><p>404", ["a web page"]),
        (b"PK\x03\x04rest", ["zip archive", "unpack"]),
        (b"GGU", ["is text"]),
        (b"GGUF", ["cut off", "version"]),
        (raw(version=1), ["version 1"]),
        (raw(version=4), ["version 4"]),
        (raw(version=0x03000000), ["big-endian"]),
        (raw(counts=(-1, 5)), ["claims -1 tensors"]),
        (raw(counts=(0, 5)), ["claims 0 tensors"]),
        (raw(counts=(2**62, 5)), ["tensors"]),
        (raw(counts=(1, 2**62)), ["metadata entries"]),
        (raw(counts=(60_000, 5)), ["cut off", "60000 tensors"]),
        (raw(counts=(1, 0)), ["claims 0 metadata entries"]),
        (raw((*BASE, BASE[1])), ["twice"]),
        (raw((*BASE, number("", 1))), ["empty"]),
        (raw((*BASE, pair("x", 13, b""))), ["unknown type 13"]),
        (raw((*BASE, pair("x", -1, b""))), ["unknown type -1"]),
        (raw((*BASE, pair("x", 9, struct.pack("<iQ", 9, 1)))), ["array of the unknown type 9"]),
        (raw((*BASE, pair("x", 9, struct.pack("<iQ", 0, 2**63)))), ["items in"]),
        (raw((*BASE, pair("x", 9, struct.pack("<iQ", 0, 2**21)))), ["cut off"]),
        (raw((*BASE, pair("x", 8, struct.pack("<Q", 2**63)))), ["claims"]),
        (raw((*BASE, pair("x", 8, struct.pack("<Q", 2**20)))), ["cut off"]),
        (raw((*BASE, struct.pack("<Q", 2**40))), ["claims"]),
        (raw((*BASE, number("general.alignment", 48))), ["general.alignment is 48"]),
        (raw((*BASE, number("general.alignment", 0))), ["general.alignment is 0"]),
        (raw(tensors=(tensor("t" * 64, (32, 2)),)), ["claims 64 bytes"]),
        (raw(tensors=(TENSOR, tensor("token_embd.weight", (32,), 0, 256)), body=512), ["twice"]),
        (raw(tensors=(tensor("x", ()),)), ["0 dimensions"]),
        (raw(tensors=(tensor("x", (1, 1, 1, 1, 1)),)), ["5 dimensions"]),
        (raw(tensors=(tensor("x", (32, -2)),)), ["shape"]),
        (raw(tensors=(tensor("x", (32, 0)),)), ["shape"]),
        (raw(tensors=(tensor("x", (2**62, 4, 4, 4)),)), ["shape"]),
        (raw(tensors=(tensor("x", (32, 32, 32, 32)),)), ["cut off"]),
        (raw(tensors=(tensor("x", (32, 2), 4),)), ["unknown type 4"]),
        (raw(tensors=(tensor("x", (33, 2), 8),)), ["multiple of 32"]),
        (raw(tensors=(tensor("x", (32, 2), 0, 32),)), ["lies at 32, not at 0"]),
        (raw(tensors=(tensor("x", (32, 2), 0, 2**63),)), ["lies at"]),
        (raw(tensors=(TENSOR, tensor("x", (32,), 0, 0))), ["lies at 0, not at 256"]),
        (raw(BASE[1:]), ["names no architecture"]),
        (raw((number("general.architecture", 1), *BASE[1:])), ["names no architecture"]),
        (raw((pair("general.architecture", 8, text("")), *BASE[1:])), ["names no architecture"]),
        (raw((*BASE, pair("general.type", 8, text("adapter")))), ["no model", "adapter"]),
        (raw((*BASE, pair("split.count", 2, struct.pack("<H", 3)))), ["split", "--merge"]),
        (raw((BASE[0], number("llama.block_count", 513), *BASE[2:])), ["block_count is 513"]),
        (raw((BASE[0], number("llama.block_count", 0), *BASE[2:])), ["block_count is 0"]),
        (raw((BASE[0], *BASE[2:])), ["lacks", "llama.block_count"]),
        (raw((*BASE, number("llama.attention.head_count", 0))), ["head_count is 0"]),
        (raw((*BASE, number("llama.vocab_size", 2**31))), ["vocab_size"]),
        (raw((*BASE[:3], pair("llama.embedding_length", 6, HALF), BASE[4])), ["embedding_length"]),
        (raw(BASE[:4]), ["no vocabulary"]),
        (raw((*BASE, number("tokenizer.ggml.eos_token_id", 2))), ["eos_token_id' is 2 of 2"]),
        (raw((*BASE, pair("tokenizer.ggml.scores", 9, struct.pack("<iQf", 6, 1, 0.0)))), ["scores does"]),
        (raw((*BASE, pair("tokenizer.ggml.token_type", 9, FLOATS))), ["token_type does not"]),
        (raw(tensors=(tensor("token_embd.weight", (32, 1)),)), ["2 tokens but 1"]),
        (raw(tensors=(tensor("token_embd.weight", (64, 1)),)), ["shape"]),
        (raw(body=255), ["cut off", "tensors need"]),
    ],
)  # fmt: skip
def test_what_is_not_a_whole_model_is_refused_with_path_and_remedy(
    tmp_path: Path, content: bytes, words: list[str]
) -> None:
    path = tmp_path / "strange model.gguf"
    path.write_bytes(content)
    refused(path, *words)


def test_the_file_of_the_table_is_accepted_when_nothing_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(raw())
    assert read_header(path).vocabulary_size == 2
    path.write_bytes(raw(version=2))
    assert read_header(path).version == 2


def test_places_that_hold_no_file_are_refused(tmp_path: Path) -> None:
    refused(tmp_path / "absent.gguf", "does not exist")
    refused(tmp_path, "is a folder")
    refused(tmp_path / ("x" * 5000), "cannot be opened")
    refused(tmp_path / "a" / "b", "does not exist")
    with pytest.raises(ModelError, match="cannot be opened"):
        read_header("nul\0byte")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "not a plain file")  # and does not wait for a writer


def test_a_file_cut_at_any_byte_is_refused(tmp_path: Path) -> None:
    whole = tiny(tmp_path / "whole.gguf").read_bytes()
    used = read_header(tmp_path / "whole.gguf")
    needed = used.data_offset + used.tensors[-1].offset + used.tensors[-1].size
    path = tmp_path / "cut.gguf"
    for length in range(needed):
        path.write_bytes(whole[:length])
        refused(path)


def test_a_header_with_any_byte_changed_is_read_or_refused_never_worse(tmp_path: Path) -> None:
    whole = tiny(tmp_path / "whole.gguf").read_bytes()
    path = tmp_path / "flipped.gguf"
    refusals = 0
    for place in range(read_header(tmp_path / "whole.gguf").data_offset):
        for mask in (0x01, 0x80, 0xFF):
            flipped = bytearray(whole)
            flipped[place] ^= mask
            path.write_bytes(flipped)
            try:
                read_header(path)
            except ModelError as error:
                refusals += 1
                assert str(path) in str(error)
    assert refusals > 500


@settings(max_examples=400, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    places=st.lists(st.tuples(st.integers(0, 600), st.binary(min_size=1, max_size=9)), max_size=6),
    cut=st.integers(0, 2000),
)
def test_a_header_with_splices_is_read_or_refused(
    tmp_path: Path, places: list[tuple[int, bytes]], cut: int
) -> None:
    mangled = bytearray(raw())
    for place, piece in places:
        mangled[place : place + len(piece)] = piece
    path = tmp_path / "m.gguf"
    path.write_bytes(mangled[: len(mangled) - cut] if cut < len(mangled) else mangled)
    with suppress(ModelError):
        read_header(path)


@pytest.mark.parametrize(
    "pairs",
    [
        (pair("x", 9, struct.pack("<iQ", 8, 2**22)),),
        (pair("x", 8, struct.pack("<Q", 2**24)),),
        (pair("x", 9, struct.pack("<iQ", 12, 2**22)),),
    ],
)
def test_a_huge_file_with_huge_claims_costs_little_memory_and_time(
    tmp_path: Path, pairs: tuple[bytes, ...]
) -> None:
    path = tmp_path / "sparse.gguf"
    path.write_bytes(raw((*BASE, *pairs), (), counts=(1, 200), body=0))
    os.truncate(path, 1 << 33)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    refused(path)
    assert time.process_time() - started < 5
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 << 10, "KiB"


def test_text_of_the_file_comes_out_of_messages_clipped_and_escaped(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(raw((*BASE, pair("a\n\u202e" + "b" * 4000, 99, b""))))
    assert len(refused(path, "\\n\\u202e")) < 300 + len(str(path))
