"""The bytes of a GGUF header, believed only as far as the file reaches.

One job: counts, metadata and tensor places out of an open file, each checked against
the file's size before anything of that size is read or made. It must not know what a
key means (but the two on which the layout hangs), and never touches tensor data.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn, TypeAlias

from constrained_du.errors import ModelError

Scalar: TypeAlias = bool | int | float | str


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """An array of the metadata: its values are passed over, its type and length kept."""

    type: int
    count: int


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor: ``shape`` with the row length first, ``offset`` from the data section, in bytes."""

    name: str
    shape: tuple[int, ...]
    type: int
    offset: int
    size: int


class Layout(NamedTuple):
    """What the bytes say: see :class:`~constrained_du.gguf_files.gguf_header.GgufHeader`."""

    version: int
    size: int
    data_offset: int
    metadata: Mapping[str, Scalar | ArrayInfo]
    tensors: tuple[TensorInfo, ...]


# --- limits: generous for every model that exists, small enough that none costs much to check

_CHUNK = 1 << 20
_MAX_KEY = 65_535  # the format's own limit, bytes
_MAX_NAME = 63  # GGML_MAX_NAME less the closing NUL
_MAX_STRING = 1 << 24  # a chat template or a whole tokenizer.json
_MAX_KEPT = 1 << 26  # bytes of strings in all
_MAX_ITEMS = 1 << 23  # strings passed over in all: about two seconds
_MAX_PAIRS = 1 << 14  # a large file has about 60
MAX_ARRAY = 1 << 22  # the largest vocabularies have about 2**18 tokens, 2**19 merges
_MAX_TENSORS = 1 << 16  # the largest mixtures of experts have a few thousand
_MAX_DIMENSIONS = 4
_MAX_ALIGNMENT = 1 << 16

_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
STRING, _ARRAY = 8, 9

_TENSOR_TYPES = {  # ggml type -> (elements, bytes) of a block; from ggml.h, gaps are types withdrawn there
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip

_LOOKALIKES = (
    (b"version https://git-lfs", "a Git LFS pointer: run `git lfs pull`"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"PK\x03\x04", "a zip archive: unpack it"),
    (b"tjgg", "a GGML file from before GGUF: convert it"),
    (b"lmgg", "a GGML file from before GGUF: convert it"),
    (b"FUGG", "a big-endian GGUF file: convert it"),
)


def refuse(path: Path, problem: str, remedy: str = "") -> NoReturn:
    remedy = remedy or "give the path of a whole GGUF file, or fetch it again (`constrained-du models list`)"
    raise ModelError(f"model file {str(path)!r} {problem} - {remedy}")


def open_plain(path: Path) -> BinaryIO:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            refuse(path, "is a folder", "give the path of the .gguf file in it")
        if not stat.S_ISREG(found.st_mode):
            refuse(path, "is not a plain file")
        if found.st_size == 0:
            refuse(path, "is empty")
        return path.open("rb")
    except FileNotFoundError:
        refuse(path, "does not exist", "check the path, or take a name from `constrained-du models list`")
    except PermissionError:
        refuse(path, "may not be read", "change its permissions")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        refuse(path, f"cannot be opened ({error})")


class _Cursor:
    """A position in the header. Every read is checked against the file's size before it is made."""

    __slots__ = ("at", "buffer", "file", "kept", "passed", "path", "size", "start")

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self.file = path, file
        self.size = os.fstat(file.fileno()).st_size
        self.buffer, self.start, self.at = b"", 0, 0
        self.kept, self.passed = 0, 0

    @property
    def position(self) -> int:
        return self.start + self.at

    @property
    def remaining(self) -> int:
        return self.size - self.position

    def cut(self, what: str) -> NoReturn:
        refuse(self.path, f"is cut off: it ends at byte {self.size} within {what}")

    def need(self, count: int, what: str) -> None:
        """Have ``count`` bytes of the file in the buffer from ``at`` on."""
        if len(self.buffer) - self.at >= count:
            return
        if count > self.remaining:
            self.cut(what)
        self.start, self.at = self.position, 0
        self.file.seek(self.start)
        self.buffer = self.file.read(max(count, _CHUNK))
        if len(self.buffer) < count:
            self.cut(what)

    def skip(self, count: int, what: str) -> None:
        if count > self.remaining:
            self.cut(what)
        if self.at + count <= len(self.buffer):
            self.at += count
        else:
            self.start, self.at, self.buffer = self.position + count, 0, b""

    def number(self, form: str, what: str) -> int:
        return int(self.scalar(form, what))

    def scalar(self, form: str, what: str) -> bool | int | float:
        width = struct.calcsize(form)
        self.need(width, what)
        (value,) = struct.unpack_from(form, self.buffer, self.at)
        self.at += width
        checked: bool | int | float = value
        return checked

    def string(self, limit: int, what: str) -> str:
        length = self.number("<Q", what)
        if length > limit:
            refuse(self.path, f"is damaged: {what} claims {length} bytes, more than {limit}")
        self.kept += length
        if self.kept > _MAX_KEPT:
            refuse(self.path, f"is damaged: its header holds more than {_MAX_KEPT} bytes of text")
        self.need(length, what)
        raw = self.buffer[self.at : self.at + length]
        self.at += length
        return raw.decode("utf-8", "replace")

    def skip_strings(self, count: int, what: str) -> None:
        """Pass over ``count`` strings; the loop is kept tight for vocabularies of 260,000."""
        self.passed += count
        if self.passed > _MAX_ITEMS:
            refuse(self.path, f"is damaged: its header holds more than {_MAX_ITEMS} strings")
        read_length = struct.Struct("<Q").unpack_from
        buffer, at, left = self.buffer, self.at, count
        while left:
            last = len(buffer) - 8
            while left and at <= last:
                (length,) = read_length(buffer, at)
                at += 8 + length
                left -= 1
            beyond = at - len(buffer)  # the last string may reach beyond the buffer
            self.at = min(at, len(buffer))
            if beyond > _MAX_STRING:
                refuse(self.path, f"is damaged: a string of {what} claims over {_MAX_STRING} bytes")
            if beyond > 0:
                self.skip(beyond, what)
            if left:
                self.need(8, what)
            buffer, at = self.buffer, self.at


def read_layout(path: Path, file: BinaryIO) -> Layout:
    try:
        return _read_layout(path, _Cursor(path, file))
    except OSError as error:
        refuse(path, f"cannot be read ({error})")


def _read_layout(path: Path, cursor: _Cursor) -> Layout:
    version = _read_magic(cursor)
    tensor_count = _read_count(cursor, "tensors", _MAX_TENSORS, least=1, width=24)
    pair_count = _read_count(cursor, "metadata entries", _MAX_PAIRS, least=1, width=13)
    metadata: dict[str, Scalar | ArrayInfo] = {}
    for index in range(pair_count):
        key = cursor.string(_MAX_KEY, f"metadata key {index}")
        if not key or key in metadata:
            refuse(path, f"is damaged: metadata key {index} is empty or twice there ({clip(key)})")
        metadata[key] = _read_value(cursor, f"metadata {clip(key)}")
    alignment = _alignment(path, metadata)
    tensors = _read_tensors(cursor, tensor_count, alignment)
    data_offset = _pad(cursor.position, alignment)
    end = data_offset + tensors[-1].offset + tensors[-1].size
    if end > cursor.size:
        refuse(path, f"is cut off: its tensors need {end} bytes, it has {cursor.size}")
    return Layout(version, cursor.size, data_offset, metadata, tensors)


def _read_magic(cursor: _Cursor) -> int:
    opening = cursor.file.read(64)
    cursor.file.seek(0)
    if not opening.startswith(b"GGUF"):
        for mark, meaning in _LOOKALIKES:
            if opening.startswith(mark):
                problem, _, remedy = meaning.partition(": ")
                refuse(cursor.path, f"is {problem}, not a GGUF model", remedy)
        sort = "text" if opening.isascii() and b"\0" not in opening else "something else"
        refuse(cursor.path, f"is {sort}, not a GGUF model (it begins with {opening[:8]!r})")
    cursor.skip(4, "its magic number")
    version = cursor.number("<I", "its version")
    if version & 0xFFFF == 0:
        refuse(cursor.path, "is a big-endian GGUF file", "convert it to this machine's byte order")
    if version not in (2, 3):
        refuse(cursor.path, f"has GGUF version {version}; versions 2 and 3 are read", "convert it")
    return version


def _read_count(cursor: _Cursor, what: str, most: int, least: int, width: int) -> int:
    """A count is believed only if so many things of ``width`` bytes could still follow."""
    count = cursor.number("<q", f"the number of {what}")
    if not least <= count <= most:
        refuse(cursor.path, f"is damaged: it claims {count} {what}, possible are {least} to {most}")
    if count * width > cursor.remaining:
        cursor.cut(f"{count} {what}")
    return count


def _read_value(cursor: _Cursor, what: str) -> Scalar | ArrayInfo:
    kind = cursor.number("<i", what)
    if kind in _SCALARS:
        return cursor.scalar(_SCALARS[kind], what)
    if kind == STRING:
        return cursor.string(_MAX_STRING, what)
    if kind != _ARRAY:
        refuse(cursor.path, f"is damaged: {what} has the unknown type {kind}")
    item = cursor.number("<i", what)
    if item not in _SCALARS and item != STRING:
        refuse(cursor.path, f"is damaged: {what} is an array of the unknown type {item}")
    width = 8 if item == STRING else struct.calcsize(_SCALARS[item])
    count = _read_count(cursor, f"items in {what}", MAX_ARRAY, least=0, width=width)
    if item == STRING:
        cursor.skip_strings(count, what)
    else:
        cursor.skip(count * width, what)
    return ArrayInfo(item, count)


def _alignment(path: Path, metadata: Mapping[str, Scalar | ArrayInfo]) -> int:
    value = metadata.get("general.alignment", 32)
    if not isinstance(value, int) or not 0 < value <= _MAX_ALIGNMENT or value & (value - 1):
        refuse(path, f"is damaged: general.alignment is {value!r}, no power of two up to {_MAX_ALIGNMENT}")
    return value


def _read_tensors(cursor: _Cursor, count: int, alignment: int) -> tuple[TensorInfo, ...]:
    tensors: list[TensorInfo] = []
    names: set[str] = set()
    expected = 0
    for index in range(count):
        tensor = _read_tensor(cursor, index)
        if tensor.name in names:
            refuse(cursor.path, f"is damaged: tensor {clip(tensor.name)} is twice there")
        if tensor.offset != expected:
            refuse(
                cursor.path,
                f"is damaged: tensor {clip(tensor.name)} lies at {tensor.offset}, not at {expected}",
            )
        names.add(tensor.name)
        tensors.append(tensor)
        expected = _pad(expected + tensor.size, alignment)
    return tuple(tensors)


def _read_tensor(cursor: _Cursor, index: int) -> TensorInfo:
    name = cursor.string(_MAX_NAME, f"the name of tensor {index}")
    what = f"tensor {clip(name)}"
    dimensions = cursor.number("<I", what)
    if not 1 <= dimensions <= _MAX_DIMENSIONS:
        refuse(cursor.path, f"is damaged: {what} has {dimensions} dimensions, not 1 to {_MAX_DIMENSIONS}")
    shape = tuple(cursor.number("<q", what) for _ in range(dimensions))
    kind = cursor.number("<i", what)
    offset = cursor.number("<Q", what)
    if kind not in _TENSOR_TYPES:
        refuse(cursor.path, f"holds {what} of the unknown type {kind}", "take another quantisation")
    elements, width = _TENSOR_TYPES[kind]
    total = 1
    for length in shape:
        if not 1 <= length <= cursor.size * elements:  # no tensor has more values than its file has room for
            refuse(cursor.path, f"is damaged: {what} has the shape {shape}")
        total *= length
    if shape[0] % elements:
        refuse(cursor.path, f"is damaged: rows of {what} have {shape[0]} values, no multiple of {elements}")
    return TensorInfo(name, shape, kind, offset, total // elements * width)


def _pad(position: int, alignment: int) -> int:
    return (position + alignment - 1) // alignment * alignment


def clip(value: object) -> str:
    """A value out of the file for a message: quoted, on one line, short."""
    shown = ascii(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
