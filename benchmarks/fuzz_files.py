"""Fuzz targets that are files: artifacts and model files."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
from fuzz_data import Data, written
from fuzz_world import UTTERANCES, Broken, World

from constrained_du import Converter
from constrained_du.gguf_files.gguf_header import read_header
from constrained_du.storage import artifact
from constrained_du.types import DO_NOT_UNDERSTAND


def artifacts(world: World, data: Data) -> None:
    """Files of an artifact changed; in most cases the digests are made to fit, as an attacker would."""
    files, fit = dict(world.files), data.below(4) > 0
    manifest = json.loads(files["manifest.json"])
    for _ in range(1 + data.below(2)):
        name = data.pick(sorted(files))
        if name == "manifest.json":
            manifest = data.changed(manifest)
        elif name == "arrays.npz" and fit:
            files[name] = _changed_arrays(files[name], data)
        elif name.endswith(".json") and fit:
            files[name] = written(data.changed(json.loads(files[name])))
        else:
            at = data.below(len(files[name]) + 1)
            files[name] = files[name][:at] + data.some() + files[name][at + data.below(9) :]
    if fit and isinstance(manifest, dict) and isinstance(manifest.get("files"), dict):
        for name, content in files.items():
            if name in manifest["files"]:
                manifest["files"][name] = sha256(content).hexdigest()
        manifest["digest"] = artifact._manifest_digest(manifest)
    if isinstance(manifest, dict) and manifest != json.loads(world.files["manifest.json"]):
        files["manifest.json"] = written(manifest)
    place = world.folder / "changed"
    place.mkdir(exist_ok=True)
    for name, content in files.items():
        (place / name).write_bytes(content)
    converter = Converter.load_from_disk(place)
    text = data.pick(UTTERANCES)
    result = converter.convert(text)
    if not {call.name for call in result} <= {*converter.labels, DO_NOT_UNDERSTAND}:
        raise Broken(f"{result.calls}")


def _changed_arrays(content: bytes, data: Data) -> bytes:
    arrays = artifact._unpacked(Path("x"), content)
    name = data.pick(sorted(arrays))
    array = arrays[name]
    match data.below(6):
        case 0:
            del arrays[name]
        case 1:
            arrays[name] = array[: data.below(len(array) + 1)] if array.ndim else array
        case 2:
            arrays[name] = array.astype(data.pick(("float16", "int8", "U3", "complex64", "bool")))
        case 3:
            arrays[name] = np.resize(array, data.pick(((0,), (3,), (2, 2), (1, 0, 4), (5000,))))
        case 4:
            changed = array.copy().reshape(-1)
            if len(changed):
                with np.errstate(all="ignore"):
                    changed[data.below(len(changed))] = data.pick((-1, 0, 2**31 - 1, 10**6))
            arrays[name] = changed.reshape(array.shape)
        case _:
            arrays[name] = np.array(data.pick((float("nan"), float("inf"), -1, 7)))
    return artifact._packed(arrays)


def gguf(world: World, data: Data) -> None:
    """A tiny model with bytes replaced, added or lost, or only what the fuzzer found."""
    if data.below(4) == 0:
        content = (b"GGUF" if data.below(2) else b"") + data.rest()
    else:
        content = world.gguf
        for _ in range(1 + data.below(4)):
            at, lost = data.below(min(len(content), 900) + 1), data.below(10)
            new = data.pick((data.some(), bytes([data.byte()]) * 8, b"\xff" * 8, (2 ** data.below(64)).to_bytes(8, "little"), b""))
            content = content[:at] + new + content[at + (len(new) if data.below(2) else lost) :]
        content = content[: len(content) - data.below(4) * data.below(300)]
    path = world.folder / "fuzzed.gguf"
    path.write_bytes(content)
    header = read_header(path)
    if header.vocabulary_size > len(content) or sum(tensor.size for tensor in header.tensors) > len(content):
        raise Broken(f"{header} claims more than the file holds")
