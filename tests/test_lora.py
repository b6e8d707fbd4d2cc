"""Adapters: written, merged into the weights they were made for, applied as they are."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest

from constrained_du import ModelError
from constrained_du.functions.reader import Reader, head_of
from constrained_du.gguf_files import lora
from constrained_du.llama import LlamaBackend
from constrained_du.models import model_source, models
from constrained_du.slots.view import View
from constrained_du.specs.spec import read_specs

NAME = "smollm2-135m-instruct"
WEIGHT = "blk.0.attn_q.weight"


def model(path: Path, weight: np.ndarray) -> Path:  # type: ignore[type-arg]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b"])
    writer.add_tensor(WEIGHT, weight.astype(np.float32))
    writer.add_tensor("output_norm.weight", np.ones(4, np.float32))
    lora._written(writer)
    return path


def test_a_merged_weight_is_the_old_one_plus_the_scaled_product(tmp_path: Path) -> None:
    weight, a, b = np.arange(24.0).reshape(6, 4), np.full((2, 4), 0.5), np.full((6, 2), 0.25)
    lora.write(tmp_path / "adapter.gguf", "taught", "llama", 8.0, {WEIGHT: (a, b)}, {"general.license": "CC0"})
    lora.merge(model(tmp_path / "model.gguf", weight), tmp_path / "adapter.gguf", tmp_path / "merged.gguf")
    merged = gguf.GGUFReader(tmp_path / "merged.gguf")
    found = {tensor.name: tensor.data for tensor in merged.tensors}
    assert np.array_equal(found[WEIGHT], (weight + 8.0 / 2 * (b @ a)).astype(np.float16))
    assert np.array_equal(found["output_norm.weight"], np.ones(4)), "what it does not touch is as it was"
    assert merged.fields[lora.MERGED].contents() == "taught" and merged.fields["tokenizer.ggml.tokens"].contents() == ["a", "b"]


@pytest.mark.parametrize(
    ("weight", "shape", "told"), [("blk.9.attn_q.weight", 4, "it has no blk.9"), (WEIGHT, 5, "is \\(6, 4\\), not \\(6, 5\\)")]
)
def test_an_adapter_of_another_model_is_refused(tmp_path: Path, weight: str, shape: int, told: str) -> None:
    lora.write(tmp_path / "adapter.gguf", "taught", "llama", 8.0, {weight: (np.ones((2, shape)), np.ones((6, 2)))}, {})
    with pytest.raises(ModelError, match=told):
        lora.merge(model(tmp_path / "model.gguf", np.ones((6, 4))), tmp_path / "adapter.gguf", tmp_path / "merged.gguf")


def test_a_model_is_no_adapter(tmp_path: Path) -> None:
    whole = model(tmp_path / "model.gguf", np.ones((6, 4)))
    with pytest.raises(ModelError, match="no LoRA adapter"):
        lora.merge(whole, whole, tmp_path / "merged.gguf")


# -- the shipped one ---------------------------------------------------------------------------


def test_the_shipped_adapter_is_small_and_the_one_of_the_registry() -> None:
    adapter = models.entry(NAME).adapter
    assert adapter is not None and adapter.path.stat().st_size <= 12_000_000
    assert models.digest(adapter.path) == adapter.sha256 and "CC BY-SA 4.0" in models.licence_notice(models.entry(NAME))


def test_the_adapter_beside_the_plain_weights_answers_as_merged(tmp_path: Path, model_path: Path) -> None:
    """Within rounding: one has quantised sums, the other sums of quantised weights and halves."""
    entry = models.entry(NAME)
    assert entry.adapter is not None
    (plain,) = model_source.fetch(entry, tmp_path, lambda stage, done, total: None)
    functions = read_specs([{
        "label": "hire_boat", "name": ["hire boat"], "description": "Hire a boat for some days.",
        "parameters": {"type": "object", "properties": {"harbour": {"type": "string"}, "skipper": {"type": "string"}}},
    }])  # fmt: skip
    found = []
    for backend in (LlamaBackend(model_path, threads=1), LlamaBackend(plain, threads=1, adapter=entry.adapter.path)):
        assert backend.taught
        heads = {0: backend.prefix(head_of(functions[0], backend))}
        read = Reader(backend, functions, heads, View("a boat from Whitby with Captain Cook")).of([0])[0]
        assert read.tags is not None
        found.append([read.meant, *read.tags.features("harbour", 3, 3).values(), *read.tags.features("skipper", 5, 6).values()])
    assert np.allclose(found[0], found[1], atol=0.6), found
    assert not LlamaBackend(plain, threads=1).taught


def test_a_file_that_is_no_adapter_is_a_model_error(model_path: Path) -> None:
    with pytest.raises(ModelError, match="adapter"):
        LlamaBackend(model_path, adapter=model_path)
