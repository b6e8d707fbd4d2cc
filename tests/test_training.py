"""The material of adapters: packs made of a small split of our own, in the form of ../shared/train."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedBackend
from training.turns import MEANT, NOT_MEANT, Pack, Turns

from constrained_du import reading

FUNCTIONS: list[dict[str, Any]] = [
    {
        "label": label, "name": [label.replace("_", " ")], "description": f"To {label.replace('_', ' ')}",
        "parameters": {"type": "object", "required": [], "properties": {slot: {"type": "string"} for slot in slots}},
    }
    for label, slots in (("hire_boat", ("harbour", "crew")), ("mend_net", ("colour",)), ("book_bunk", ("ship",)), ("sing_shanty", ("song",)))
]  # fmt: skip
SERVICES = {"Boats_1": ["hire_boat"], "Nets_1": ["mend_net"], "Hotels_9": ["book_bunk"], "Music_9": ["sing_shanty"]}
TURNS: list[dict[str, Any]] = [
    *({"utterance": f"A boat from Whitby for {n}, please.", "calls": [{
        "name": "hire_boat", "arguments": {"harbour": "Whitby", "crew": str(n)}, "spans": {"harbour": [12, 18]}}]} for n in range(20, 40)),
    *({"utterance": f"mend the red net number {n}", "calls": [{
        "name": "mend_net", "arguments": {"colour": "red"}, "spans": {"colour": [9, 12]}}]} for n in range(20)),
    *({"utterance": f"a bunk on the Mary {n}", "calls": [{
        "name": "book_bunk", "arguments": {"ship": f"Mary {n}"}, "spans": {}}]} for n in range(10, 30)),
    *({"utterance": f"sing {n} rounds", "calls": [{"name": "sing_shanty", "arguments": {}, "spans": {}}]} for n in range(20)),
    *({"utterance": f"thanks {n}", "calls": []} for n in range(5)),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("train")
    (place / "functions.json").write_text(json.dumps(FUNCTIONS))
    (place / "services.json").write_text(json.dumps(SERVICES))
    with gzip.open(place / "train.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(turn) + "\n" for turn in TURNS)
    return place


def packs(folder: Path, seed: int, held: bool = False) -> list[Pack]:
    model = ScriptedBackend()
    return list(islice(Turns(folder, held).packs(model.encode, model.piece, seed), 40))


def test_equal_seeds_make_equal_packs(folder: Path) -> None:
    assert packs(folder, 1) == packs(folder, 1) != packs(folder, 2)


def test_held_services_are_in_no_pack_for_training(folder: Path) -> None:
    shown = "".join(bytes((*pack.head, *segment.tokens)).decode() for pack in packs(folder, 1) for segment in pack.segments)
    assert "bunk" not in shown and "net" in shown
    held = "".join(bytes(pack.head).decode() for pack in packs(folder, 1, held=True))
    assert "bunk" in held and "shanty" in held and "boat" not in held


def test_a_pack_has_what_is_meant_and_what_is_not(folder: Path) -> None:
    for pack in packs(folder, 3):
        assert [segment.meant[1] for segment in pack.segments] == [True] * MEANT + [False] * NOT_MEANT
        for segment in pack.segments:
            assert bytes(segment.tokens[: segment.meant[0] + 1]).decode().endswith(reading.TAIL)


def test_each_word_is_answered_with_the_slot_that_it_fills(folder: Path) -> None:
    """Found through the letters of the head, as the model has to."""
    seen = set()
    for pack in packs(folder, 5):
        lines = bytes(pack.head).decode().split("\n")
        names = {line.rpartition(" = ")[2]: line.partition(":")[0].partition(" = ")[0] for line in lines if " = " in line}
        for segment in pack.segments[:MEANT]:
            for at, answer in segment.words:
                word = bytes(segment.tokens[: at + 1]).decode().replace('"', " ").split()[-1].removeprefix("Meant:")
                if answer < pack.slots and names[reading.LETTERS[answer]] != "value":
                    seen.add((names[reading.LETTERS[answer]], word.strip(",.").lower()))
    assert ("harbour", "whitby") in seen and ("colour", "red") in seen
    assert not {word for slot, word in seen if slot in ("harbour", "colour")} & {"boat", "from", "mend", "net", "the"}
