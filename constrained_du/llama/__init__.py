"""llama.cpp through llama-cpp-python's low-level API: the only importer of ``llama_cpp``.

Loads GGUF files, turns text into tokens (never special ones), evaluates token tries over saved
prefixes, embeds texts, reads GBNF, requantises files. Knows nothing of functions or slots.
"""

from __future__ import annotations

from constrained_du.llama.embedder import LlamaEmbedder
from constrained_du.llama.gbnf import GbnfReader
from constrained_du.llama.library import quantize
from constrained_du.llama.model import LlamaBackend

__all__ = ["GbnfReader", "LlamaBackend", "LlamaEmbedder", "quantize"]
