"""The material of adapters: packs made of a small split of our own, in the form of ../shared/train."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from training.turns import MEANT, NOT_MEANT, Pack, Turns

from constrained_du.decoding import reading

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


class Words:
    """A tokenizer of words, with the blank before them, and of signs."""

    def __init__(self) -> None:
        self.pieces: dict[str, int] = {}

    def encode(self, text: str) -> list[int]:
        return [self.pieces.setdefault(piece, len(self.pieces)) for piece in re.findall(r" ?\w+|\W", text)]

    def piece(self, token: int) -> bytes:
        return list(self.pieces)[token].encode()

    def text(self, tokens: Iterable[int]) -> str:
        return b"".join(map(self.piece, tokens)).decode()


def packs(folder: Path, seed: int, held: bool = False, words: Words | None = None) -> list[Pack]:
    model = words or Words()
    return list(islice(Turns(folder, held).packs(model.encode, model.piece, seed), 40))


def test_equal_seeds_make_equal_packs(folder: Path) -> None:
    assert packs(folder, 1) == packs(folder, 1) != packs(folder, 2)


def test_held_services_are_in_no_pack_for_training(folder: Path) -> None:
    words = Words()
    shown = "".join(words.text((*p.head, *s.tokens, *p.plain)) for p in packs(folder, 1, words=words) for s in p.segments)
    assert "bunk" not in shown and "net" in shown
    held = "".join(words.text(pack.head) for pack in packs(folder, 1, held=True, words=words))
    assert "bunk" in held and "shanty" in held and "boat" not in held


def test_a_pack_has_what_is_meant_and_what_is_not(folder: Path) -> None:
    words = Words()
    for pack in packs(folder, 3, words=words):
        assert [segment.meant[1] for segment in pack.segments] == [True] * MEANT + [False] * NOT_MEANT
        for segment in pack.segments:
            assert words.text(segment.tokens[: segment.meant[0] + 1]).endswith(reading.TAIL)


def test_each_word_is_answered_with_the_slot_that_it_fills(folder: Path) -> None:
    """Found through the answers in the head, as the model has to."""
    words, seen = Words(), set()
    for pack in packs(folder, 5, words=words):
        lines = words.text(pack.head).split("\n")
        names = {line.rpartition(" = ")[2]: line.partition(":")[0].partition(" = ")[0] for line in lines if " = " in line}
        for segment in pack.segments[:MEANT]:
            for at, answer in segment.words:
                word = words.text(segment.tokens[: at + 1]).replace('"', " ").split()[-1].removeprefix("Meant:")
                if answer < len(pack.answers) and (name := names[words.text([pack.answers[answer]]).strip()]) != "value":
                    seen.add((name, word.strip(",.").lower()))
    assert ("harbour", "whitby") in seen and ("colour", "red") in seen
    assert not {word for slot, word in seen if slot in ("harbour", "colour")} & {"boat", "from", "mend", "net", "the"}
