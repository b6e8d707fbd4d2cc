"""A checkpoint of ``train.py`` as the adapter's GGUF file: names and order of rows as llama.cpp has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch

from constrained_du.gguf_files import lora

HEADS, KEY_HEADS = 9, 3  # of SmolLM2-135M
NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
KEY = re.compile(r"layers\.(\d+)\.(.+)\.lora_([AB])\.weight$")


def permuted(rows: Any, heads: int) -> Any:
    """Rows of queries or keys in llama.cpp's order: the halves of each head take turns."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def pairs(state: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    halves: dict[str, dict[str, Any]] = {}
    for key, tensor in state.items():
        found = KEY.search(key)
        assert found is not None, key
        layer, place, half = found.groups()
        matrix = tensor.float().numpy()
        if half == "B" and place.endswith(("q_proj", "k_proj")):
            matrix = permuted(matrix, HEADS if place.endswith("q_proj") else KEY_HEADS)
        halves.setdefault(f"blk.{layer}.{NAMES[place]}.weight", {})[half] = matrix
    return {name: (own["A"], own["B"]) for name, own in halves.items()}


def write(checkpoint: Path, target: Path, alpha: float) -> None:
    """Writes the adapter of a checkpoint; equal checkpoints give equal bytes."""
    state = torch.load(checkpoint, weights_only=True)
    packs = f"{state['done']} packs of benchmarks/training/train.py"
    about = {"general.license": "CC BY-SA 4.0", "constrained_du.training": packs}
    target.parent.mkdir(parents=True, exist_ok=True)
    lora.write(target, target.stem, "llama", alpha, pairs(state["adapter"]), about)
