"""Three small domains for load: requests that an exemplar answers, and some that take the model.

Shared by the load test and the load benchmark. Knows the public API only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constrained_du import Converter, Result

DOMAINS: dict[str, dict[str, Any]] = {
    "garden": {
        "specs": [
            {"name": "water", "description": "Water a bed", "parameters": {"type": "object", "properties": {
                "minutes": {"type": "integer", "minimum": 0, "maximum": 100_000}}}},
            {"name": "open_gate", "description": "Open the garden gate"},
        ],
        "exemplars": {"water": [{"template": "water for <minutes> minutes"}], "open_gate": [{"template": "open up"}]},
        "cheap": "water for {n} minutes", "costly": ("let me into the garden", "the beds are dry"),
    },
    "kitchen": {
        "specs": [
            {"name": "timer", "description": "Set a timer", "parameters": {"type": "object", "properties": {
                "seconds": {"type": "integer", "minimum": 0, "maximum": 100_000}}}},
            {"name": "oven_off", "description": "Switch the oven off"},
        ],
        "exemplars": {"timer": [{"template": "ring in <seconds> seconds"}], "oven_off": [{"template": "it is done"}]},
        "cheap": "ring in {n} seconds", "costly": ("the cake is ready, stop baking", "tell me when the eggs are done"),
    },
    "notes": {
        "specs": [
            {"name": "note", "description": "Write something down", "parameters": {"type": "object", "properties": {
                "text": {"type": "string"}}}},
            {"name": "read_notes", "description": "Read all notes aloud"},
        ],
        "exemplars": {"note": [{"template": "write down <text>"}], "read_notes": [{"template": "what have I written"}]},
        "cheap": "write down number {n}", "costly": ("please remember to buy milk", "show me what I wrote"),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """One request to one of the domains."""

    domain: str
    text: str

    def put(self, converters: Mapping[str, Converter]) -> Result:
        return converters[self.domain].convert(self.text, n_best=2)


def build(name: str, model: Path | str, target: Path) -> None:
    domain = DOMAINS[name]
    Converter(model, embedder=None).add_function_specs(domain["specs"]).add_exemplars(domain["exemplars"]).finalize(target)


def cheap(name: str, count: int) -> list[Asked]:
    """Different requests that an exemplar answers without the model."""
    return [Asked(name, DOMAINS[name]["cheap"].format(n=number)) for number in range(count)]


def costly(name: str, count: int) -> list[Asked]:
    """Requests for which the model is evaluated."""
    return [Asked(name, text) for text in DOMAINS[name]["costly"][:count]]


def shown(result: Result) -> bytes:
    """All of an answer but its time and cost, to the last byte."""
    return repr([(a.calls, a.score, a.confidence) for a in result.alternatives]).encode()
