"""Writes a BERT sentence embedder (all-MiniLM-L6-v2) as one GGUF file that llama.cpp runs.

One job: safetensors weights and ``vocab.txt`` in, a GGUF file out, with numpy, ``gguf``
and ``safetensors`` alone. It must not know where the files came from, and it neither
trains, runs nor downloads anything. Equal input gives equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from constrained_du.errors import ModelError

if TYPE_CHECKING:
    import gguf
    import numpy as np
    from numpy.typing import NDArray

    Weights: TypeAlias = dict[str, NDArray[np.float32]]

_OUTER = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
_INNER = {  # within encoder.layer.N, each with .weight and .bias
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
_DROPPED = re.compile(r"embeddings\.position_ids|pooler\.")  # not part of a mean-pooled embedding
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)")
_KEPT_F32 = {"position_embd.weight", "token_types.weight"}  # llama.cpp adds them row by row
_EPSILON = 1e-12  # BERT's layer_norm_eps; at 1e-5 the cosine with the original falls
_SPECIALS = {"bos": "[CLS]", "eos": "[SEP]", "unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
_SPECIAL_TOKEN = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK)\]")


def write(
    weights: Path,
    vocabulary: Path,
    target: Path,
    kind: Literal["Q8_0", "F16", "F32"] = "Q8_0",
    heads: int = 12,
    name: str = "all-MiniLM-L6-v2",
) -> None:
    """Write ``target`` from a safetensors file and a WordPiece vocabulary (one token a line).

    ``kind`` is the type of the matrices; vectors, positions and token types stay F32.
    ``heads`` is the only fact that the tensors do not show. Raises ``ModelError`` if the
    files are not BERT's, ``OSError`` if the target cannot be written.
    """
    import gguf

    tensors = dict(_renamed(weights, _read_weights(weights)))
    tokens = _read_vocabulary(vocabulary)
    _check_shapes(weights, tensors, tokens, heads)
    writer = gguf.GGUFWriter(target, "bert")
    try:
        writer.add_name(name)
        _add_shape(writer, tensors, heads)
        writer.add_file_type(gguf.LlamaFileType[f"MOSTLY_{kind}" if kind != "F32" else "ALL_F32"])
        _add_vocabulary(writer, tokens)
        for tensor_name, tensor in tensors.items():
            stored = _stored_type(tensor_name, tensor, kind)
            writer.add_tensor(tensor_name, gguf.quants.quantize(tensor, stored), raw_dtype=stored)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


def llama_tokens(tokens: Sequence[str]) -> list[str]:
    """WordPiece tokens as llama.cpp spells them: ``##x`` → ``x``, others ``▁x``, specials unchanged."""

    def spelt(token: str) -> str:
        if _SPECIAL_TOKEN.fullmatch(token):
            return token
        return token[2:] if token.startswith("##") else "\u2581" + token

    return [spelt(token) for token in tokens]


def _read_weights(path: Path) -> Weights:
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return {name: tensor.astype(np.float32) for name, tensor in load_file(path).items()}
    except (OSError, SafetensorError, ValueError) as error:
        raise ModelError(f"{str(path)!r} is no readable safetensors file ({error}) - get it again") from error


def _read_vocabulary(path: Path) -> list[str]:
    try:
        tokens = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{str(path)!r} is not a readable vocabulary ({error}) - fetch it again") from error
    tokens = [token.rstrip("\r") for token in tokens]
    if tokens and not tokens[-1]:
        tokens.pop()
    absent = sorted(set(_SPECIALS.values()) - set(tokens))
    if absent:
        raise ModelError(f"{str(path)!r} is no BERT vocabulary: {', '.join(absent)} absent - fetch it again")
    return tokens


def _renamed(path: Path, weights: Weights) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """llama.cpp's name of each tensor, outer ones first, then layer by layer, in one fixed order."""
    order = {name: (-1, index) for index, name in enumerate(_OUTER.values())}
    found: Weights = {}
    for name in sorted(weights):
        bare = name.removeprefix("bert.")
        layer = _LAYER.fullmatch(bare)
        if bare in _OUTER:
            found[_OUTER[bare]] = weights[name]
        elif layer and layer[2] in _INNER:
            renamed = f"blk.{int(layer[1])}.{_INNER[layer[2]]}.{layer[3]}"
            order[renamed] = (int(layer[1]), 2 * list(_INNER).index(layer[2]) + (layer[3] == "bias"))
            found[renamed] = weights[name]
        elif not _DROPPED.match(bare):
            raise ModelError(f"{str(path)!r} is not BERT's: it holds the tensor {name!r} - give a BertModel")
    yield from sorted(found.items(), key=lambda item: order[item[0]])


def _check_shapes(path: Path, tensors: Weights, tokens: Sequence[str], heads: int) -> None:
    layers = _layers(tensors)
    wanted = [*_OUTER.values()]
    for part in _INNER.values():
        wanted += [f"blk.{n}.{part}.{end}" for n in range(layers) for end in ("weight", "bias")]
    absent = [name for name in wanted if name not in tensors]
    if absent or not layers:
        raise ModelError(f"{str(path)!r} is no whole BertModel: {', '.join(absent[:3]) or 'layers'} absent")
    rows, width = tensors["token_embd.weight"].shape
    if rows != len(tokens):
        raise ModelError(f"{str(path)!r} has {rows} token vectors, its vocabulary {len(tokens)} tokens")
    if width % heads or width % 32:
        raise ModelError(f"{str(path)!r}: vectors of {width} do not divide into {heads} heads and 32s")


def _layers(tensors: Mapping[str, Any]) -> int:
    return 1 + max((int(name.split(".")[1]) for name in tensors if name.startswith("blk.")), default=-1)


def _add_shape(writer: gguf.GGUFWriter, tensors: Weights, heads: int) -> None:
    import gguf

    writer.add_context_length(len(tensors["position_embd.weight"]))
    writer.add_embedding_length(tensors["token_embd.weight"].shape[1])
    writer.add_feed_forward_length(len(tensors["blk.0.ffn_up.weight"]))
    writer.add_block_count(_layers(tensors))
    writer.add_head_count(heads)
    writer.add_layer_norm_eps(_EPSILON)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)


def _add_vocabulary(writer: gguf.GGUFWriter, tokens: Sequence[str]) -> None:
    import gguf

    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(llama_tokens(tokens))
    types = [gguf.TokenType.CONTROL if _SPECIAL_TOKEN.fullmatch(t) else gguf.TokenType.NORMAL for t in tokens]
    writer.add_token_types(types)
    writer.add_token_type_count(2)
    place = {token: index for index, token in enumerate(tokens)}
    for short, token in _SPECIALS.items():
        getattr(writer, f"add_{short}_token_id")(place[token])


def _stored_type(name: str, tensor: NDArray[np.float32], kind: str) -> gguf.GGMLQuantizationType:
    import gguf

    if tensor.ndim == 1 or name in _KEPT_F32:
        return gguf.GGMLQuantizationType.F32
    return gguf.GGMLQuantizationType[kind]
