"""Model files for the cases: where the model lies, and the model ``zero``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def model_file(model: str) -> Path:
    """The file of a model that is given by path or by its name in the registry."""
    from constrained_du.models.models import locate

    return locate(model)


def zero_model(model: str, scratch: Path) -> Path:
    """A copy of the model whose last normalisation has weight 0: every token is equally likely."""
    target = scratch / "zero.gguf"
    if not target.exists():
        from gguf import GGUFReader

        source = model_file(model)
        (norm,) = [tensor for tensor in GGUFReader(source).tensors if tensor.name == "output_norm.weight"]
        part = target.with_suffix(f".{os.getpid()}")
        shutil.copyfile(source, part)
        with part.open("r+b") as file:
            file.seek(norm.data_offset)
            file.write(bytes(int(norm.n_bytes)))
        part.replace(target)
    return target
