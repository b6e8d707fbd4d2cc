"""A BERT written as GGUF gives, through llama.cpp, the vectors that a forward pass in numpy gives."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from constrained_du.errors import ModelError
from constrained_du.gguf_files import bert_gguf
from constrained_du.gguf_files.gguf_header import read_header

erf = np.vectorize(math.erf)
Array = NDArray[np.float64]
HEADS, WIDTH, LAYERS = 2, 64, 2
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "book", "a", "table", "for", "two", "##s", "un"]
VOCABULARY += ["##book", "weather", "in", "paris", ".", ",", "?", "four", "##th"]
TEXTS = [
    "book a table for two",
    "Weather in Paris?",
    "unbooks, tables",
    "strange words",
    "a",
    "the fourth, in paris.",
]


def random_bert(seed: int = 7) -> dict[str, NDArray[np.float32]]:
    """Weights of a small BERT with the names of the original; spread so that every part matters."""
    draw = np.random.default_rng(seed)

    def matrix(*shape: int, scale: float = 0.15) -> NDArray[np.float32]:
        return draw.normal(0, scale, shape).astype(np.float32)

    weights: dict[str, Any] = {
        "embeddings.word_embeddings.weight": matrix(len(VOCABULARY), WIDTH, scale=1),
        "embeddings.position_embeddings.weight": matrix(16, WIDTH, scale=0.5),
        "embeddings.token_type_embeddings.weight": matrix(2, WIDTH, scale=0.5),
        "embeddings.position_ids": np.arange(16, dtype=np.int64),
        "pooler.dense.weight": matrix(WIDTH, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for part in (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
        ):
            weights |= {f"{layer}.{part}.weight": matrix(WIDTH, WIDTH), f"{layer}.{part}.bias": matrix(WIDTH)}
        for part, rows, columns in (("intermediate.dense", 128, WIDTH), ("output.dense", WIDTH, 128)):
            weights |= {f"{layer}.{part}.weight": matrix(rows, columns), f"{layer}.{part}.bias": matrix(rows)}
    for norm in norms:
        weights |= {f"{norm}.weight": 1 + matrix(WIDTH), f"{norm}.bias": matrix(WIDTH)}
    return weights


def wordpieces(text: str, vocabulary: list[str]) -> list[int]:
    """BERT's uncased tokenizer for plain Latin text: the longest piece first, a whole word or [UNK]."""
    place = {token: n for n, token in enumerate(vocabulary)}
    ids = [place["[CLS]"]]
    for word in re.findall(r"\w+|[^\w\s]", text.lower()):
        pieces, start = [], 0
        while start < len(word):
            ends = [
                e for e in range(len(word), start, -1) if ("##" if start else "") + word[start:e] in place
            ]
            if not ends:
                pieces = [place["[UNK]"]]
                break
            pieces.append(place[("##" if start else "") + word[start : ends[0]]])
            start = ends[0]
        ids += pieces
    return [*ids, place["[SEP]"]]


def forward(weights: Mapping[str, NDArray[Any]], ids: list[int], heads: int) -> Array:
    """BERT as in the paper, in float64; the mean of the last states as a unit vector."""

    def w(name: str) -> Array:
        return np.asarray(weights[name], dtype=np.float64)

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * w(f"{name}.weight") + w(f"{name}.bias")

    def dense(x: Array, name: str) -> Array:
        product: Array = x @ w(f"{name}.weight").T
        return product + w(f"{name}.bias")

    x = w("embeddings.word_embeddings.weight")[ids] + w("embeddings.position_embeddings.weight")[: len(ids)]
    x = norm(x + w("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for layer in (f"encoder.layer.{n}" for n in range(layers)):
        q, k, v = (
            dense(x, f"{layer}.attention.self.{part}").reshape(len(ids), heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        weight = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (weight / weight.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + dense(mixed, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
        inner = dense(x, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        x = norm(x + dense(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return np.asarray(x.mean(0) / np.linalg.norm(x.mean(0)), dtype=np.float64)


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, Path]:
    save_file(random_bert(), tmp_path / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    return tmp_path / "model.safetensors", tmp_path / "vocab.txt"


@pytest.mark.parametrize(("kind", "least"), [("F32", 0.9999), ("F16", 0.9999), ("Q8_0", 0.998)])
def test_llama_cpp_gives_the_vectors_of_a_forward_pass_in_numpy(
    sources: tuple[Path, Path], tmp_path: Path, kind: Any, least: float
) -> None:
    from constrained_du.llama import LlamaEmbedder

    bert_gguf.write(*sources, tmp_path / "m.gguf", kind, heads=HEADS)
    embedder = LlamaEmbedder(tmp_path / "m.gguf", context=16, threads=1)
    for text in TEXTS:
        wanted = forward(random_bert(), wordpieces(text, VOCABULARY), HEADS)
        assert float(embedder.embed(text) @ wanted) >= least, text


def test_the_file_is_an_embedder_with_the_keys_that_llama_cpp_wants(
    sources: tuple[Path, Path], tmp_path: Path
) -> None:
    bert_gguf.write(*sources, tmp_path / "m.gguf", heads=HEADS)
    header = read_header(tmp_path / "m.gguf", "embedder")
    assert {key: header.metadata[key] for key in sorted(header.metadata) if "tokens" not in key} == {
        "bert.attention.causal": False,
        "bert.attention.head_count": HEADS,
        "bert.attention.layer_norm_epsilon": pytest.approx(1e-12),
        "bert.block_count": LAYERS,
        "bert.context_length": 16,
        "bert.embedding_length": WIDTH,
        "bert.feed_forward_length": 128,
        "bert.pooling_type": 1,
        "general.architecture": "bert",
        "general.file_type": 7,
        "general.name": "all-MiniLM-L6-v2",
        "tokenizer.ggml.bos_token_id": 2,
        "tokenizer.ggml.eos_token_id": 3,
        "tokenizer.ggml.mask_token_id": 4,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.padding_token_id": 0,
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.seperator_token_id": 3,
        "tokenizer.ggml.token_type": header.metadata["tokenizer.ggml.token_type"],
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.unknown_token_id": 1,
    }
    types = {t.name: t.type for t in header.tensors}
    assert types["token_embd.weight"] == types["blk.1.ffn_up.weight"] == 8
    kept = (
        "position_embd.weight",
        "token_types.weight",
        "blk.0.attn_q.bias",
        "blk.0.layer_output_norm.weight",
    )
    assert {types[name] for name in kept} == {0}
    assert not any("pooler" in name or "position_ids" in name for name in types)


def test_wordpieces_are_spelt_as_llama_cpp_spells_them() -> None:
    assert bert_gguf.llama_tokens(["[CLS]", "##s", "book", "[x]", "#"]) == [
        "[CLS]",
        "s",
        "▁book",
        "▁[x]",
        "▁#",
    ]


def test_the_same_source_gives_the_same_bytes(sources: tuple[Path, Path], tmp_path: Path) -> None:
    for name in ("a", "b"):
        bert_gguf.write(*sources, tmp_path / name, heads=HEADS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("absent", "added", "vocabulary", "words"),
    [
        ("embeddings.LayerNorm.bias", "", VOCABULARY, "token_embd_norm.bias absent"),
        ("encoder.layer.1.output.dense.weight", "", VOCABULARY, "blk.1.ffn_down.weight absent"),
        ("", "decoder.strange", VOCABULARY, "decoder.strange"),
        ("", "", VOCABULARY[:-1], "21 token vectors, its vocabulary 20"),
        ("", "", VOCABULARY[1:], r"\[PAD\] absent"),
    ],
)
def test_what_is_not_a_whole_bert_is_refused(
    tmp_path: Path, absent: str, added: str, vocabulary: list[str], words: str
) -> None:
    weights = {name: tensor for name, tensor in random_bert().items() if name != absent}
    if added:
        weights[added] = np.zeros(3, dtype=np.float32)
    save_file(weights, tmp_path / "w")
    (tmp_path / "v").write_text("\n".join(vocabulary), encoding="utf-8")
    with pytest.raises(ModelError, match=words):
        bert_gguf.write(tmp_path / "w", tmp_path / "v", tmp_path / "m.gguf", heads=HEADS)
    assert not (tmp_path / "m.gguf").exists()


def test_files_that_are_no_safetensors_or_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(b"\xff" * 100)
    (tmp_path / "v").write_bytes(b"\xff\n")
    with pytest.raises(ModelError, match="no readable safetensors file"):
        bert_gguf.write(tmp_path / "w", tmp_path / "v", tmp_path / "m.gguf")
    save_file(random_bert(), tmp_path / "w")
    with pytest.raises(ModelError, match="not a readable vocabulary"):
        bert_gguf.write(tmp_path / "w", tmp_path / "v", tmp_path / "m.gguf")
