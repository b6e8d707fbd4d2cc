"""What fuzz targets share: seeds that are right, and the whole package on a scripted model."""

from __future__ import annotations

import json
import tempfile
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from scripted_world import scripted_world

from constrained_du import Converter

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"

SPECS: list[dict[str, Any]] = [
    {"label": "water_plants", "name": ["water the plants"], "description": "Water the plants in a bed", "parameters": {
        "type": "object", "required": ["bed"], "properties": {
            "bed": {"type": "bed", "description": "the bed"}, "minutes": {"type": "integer", "minimum": 1, "maximum": 60},
            "from": {"type": "string", "format": "time"}, "days": {"type": "array", "items": {"enum": ["Monday", "Tuesday"]}},
        }}},
    {"name": "open_gate", "description": "Open the garden gate", "x-link": "gate{?wide}", "parameters": {
        "type": "object", "properties": {"wide": {"type": "boolean"}, "width": {"type": "number", "multipleOf": 0.5}}}},
    {"type": "function", "function": {"name": "note", "parameters": {"type": "object", "properties": {
        "text": {"type": "string", "maxLength": 40}, "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"},
        "where": {"type": "object", "properties": {"lat": {"type": "number"}, "on": {"type": "string", "format": "date"}}},
        "which": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}, {"const": "all"}]},
    }, "$defs": {"n": {"type": "integer", "minimum": 0}}}}},
]  # fmt: skip
EXEMPLARS: list[dict[str, Any]] = [
    {"funcId": "open_gate", "exemplars": [{"type": "implies", "utterance": "let the dog out"},
                                          {"type": "negation", "utterance": "the gate squeaks"}]},
    {"funcId": "water_plants", "exemplars": [{"type": "implies", "utterance": "the < bed > is thirsty"},
                                             {"type": "literal", "utterance": "so dry"}]},
]  # fmt: skip
OTHER_EXEMPLARS: dict[str, Any] = {
    "note": [{"template": "<text> on <where>", "owner_mode": "normal", "context_frame": "open_gate"}], "open_gate": ["open up"],
}  # fmt: skip
RECOGNIZERS: dict[str, Any] = {"recognizers": {
    "bed": {"name": "bed", "rec_type": "list", "instances": [
        {"label": "roses", "expressions": ["roses", "rose bed"]}, {"label": "herbs", "expressions": ["herbs"]}]},
    "plate": {"name": "plate", "rec_type": "regex", "pattern": "[A-Z]{2}-[0-9]+", "patterns": ["x+y"]},
}, "slots": {"wide": "plate"}}  # fmt: skip
UTTERANCES = (
    "water the rose bed for ten minutes", "open the gate", "note AB12 on Friday and water the herbs from 6:30 on Monday",
    "not the roses, the herbs", "the roses or the herbs", "more than 20 minutes", "明日の朝七時に庭に水をやって", "请在明天早上八点给花园浇水",
    "let the dog out", "the herbs is thirsty", "between 3 and 4.5 metres", "everything but Monday",
)  # fmt: skip


class Broken(AssertionError):
    """An answer that breaks a promise."""


class World:
    """A converter on a scripted model, and what the targets need beside it."""

    def __init__(self) -> None:
        self.stack = ExitStack()
        self.stack.enter_context(scripted_world())
        self.stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        shared = Path("/dev/shm")
        place = tempfile.TemporaryDirectory(prefix="fuzz-", dir=shared if shared.is_dir() else None)
        self.folder = Path(self.stack.enter_context(place))
        self.specs = [*SPECS, *(spec for name in sorted(GRAMMARS.glob("*_en/specs.json")) for spec in json.loads(name.read_bytes()))]
        self.converters = {
            "exact": self._converter(), "operators": self._converter(operators=True),
            "free": self._converter(strings="free"), "greedy": self._converter(decoder="greedy"),
        }  # fmt: skip
        self.domain = self.converters["exact"].domain
        self.converters["exact"].finalize(self.folder / "artifact", state=False)
        self.files = {path.name: path.read_bytes() for path in (self.folder / "artifact").iterdir()}
        bot = self.folder / "bots" / "garden"
        bot.mkdir(parents=True)
        for name, document in (("schemas", SPECS), ("exemplars", EXEMPLARS), ("recognizers", RECOGNIZERS)):
            (bot / f"{name}.json").write_text(json.dumps(document))
        self.gguf = tiny_gguf(self.folder / "tiny.gguf")

    @staticmethod
    def _converter(**settings: Any) -> Converter:
        converter = Converter("scripted", **settings).add_function_specs(SPECS).add_exemplars(EXEMPLARS)
        return converter.add_recognizers(RECOGNIZERS).finalize()

    def close(self) -> None:
        self.stack.close()


def tiny_gguf(path: Path) -> bytes:
    from gguf import GGUFWriter

    writer = GGUFWriter(path, "llama")
    for write, value in ((writer.add_block_count, 1), (writer.add_context_length, 128), (writer.add_embedding_length, 32)):
        write(value)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([b"<s>", b"</s>", b"a", b"b"])
    writer.add_token_scores([0.0, 0.0, -1.0, -2.0])
    writer.add_chat_template("{{ messages }}")
    writer.add_tensor("token_embd.weight", np.zeros((4, 32), np.float32))
    writer.add_tensor("output_norm.weight", np.zeros(32, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()
