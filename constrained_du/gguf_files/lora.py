"""LoRA adapters as GGUF files: written from their matrices, and merged into the model they were made for.

One job: files in, files out. A merged model says so in its header (``MERGED``), so that whoever
loads it knows what it was taught. Knows no prompts, and llama.cpp only by its format.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.errors import ModelError

MERGED = "constrained_du.adapter"
"""The key of a merged model's header; its value names the adapter."""
A, B = ".lora_a", ".lora_b"

Matrix = NDArray[Any]


def write(
    path: Path, name: str, architecture: str, alpha: float, pairs: Mapping[str, tuple[Matrix, Matrix]], about: Mapping[str, str]
) -> None:
    """``pairs`` are A (rank, in) and B (out, rank) by the weight's name in the model file; kept as half precision."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    writer.add_name(name)
    for key, value in about.items():
        writer.add_string(key, value)
    for weight, (a, b) in sorted(pairs.items()):
        writer.add_tensor(weight + A, np.ascontiguousarray(a, np.float16))
        writer.add_tensor(weight + B, np.ascontiguousarray(b, np.float16))
    _written(writer)


def merge(model: Path, adapter: Path, target: Path) -> None:
    """Writes ``model`` with the adapter's products added to its weights, those as half precision, the
    others as they are. Raises ModelError for an adapter of another model."""
    import gguf

    name, scale, pairs = _read(adapter)
    source = gguf.GGUFReader(model)
    writer = gguf.GGUFWriter(target, _text(source, "general.architecture"))
    for key, field in source.fields.items():
        if not key.startswith("GGUF.") and key != "general.architecture":
            kind = field.types[0]
            writer.add_key_value(key, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    writer.add_string(MERGED, name)
    left = dict(pairs)
    for tensor in source.tensors:
        pair = left.pop(tensor.name, None)
        if pair is None:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
            continue
        weight = gguf.dequantize(tensor.data, tensor.tensor_type)
        added = scale * (pair[1] @ pair[0])
        if weight.shape != added.shape:
            raise ModelError(f"{adapter} was made for another model: {tensor.name} is {weight.shape}, not {added.shape}")
        writer.add_tensor(tensor.name, (weight + added).astype(np.float16))
    if left:
        raise ModelError(f"{adapter} was made for another model: it has no {next(iter(left))}")
    _written(writer)


def _read(adapter: Path) -> tuple[str, float, dict[str, tuple[Matrix, Matrix]]]:
    """Its name, what its products are multiplied by, and its matrices."""
    import gguf

    reader = gguf.GGUFReader(adapter)
    known = ("adapter.type", "adapter.lora.alpha", "general.name")
    facts = {key: reader.fields[key].contents() for key in known if key in reader.fields}
    if facts.get("adapter.type") != "lora" or "adapter.lora.alpha" not in facts:
        raise ModelError(f"{adapter} is no LoRA adapter - those of models/adapters are")
    tensors = {tensor.name: tensor.data.astype(np.float32) for tensor in reader.tensors}
    pairs = {name.removesuffix(A): (a, tensors[name.removesuffix(A) + B]) for name, a in tensors.items() if name.endswith(A)}
    rank = next(iter(pairs.values()))[0].shape[0]
    return str(facts.get("general.name", adapter.stem)), float(facts["adapter.lora.alpha"]) / rank, pairs


def _text(source: Any, key: str) -> str:
    return str(source.fields[key].contents())


def _written(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
