"""Turns of schema-guided dialogs as training packs: one head, several utterances, what to say after each word.

The head and the layout are those of scoring (``constrained_du.decoding.reading``). What varies: which
slots are listed and in which order, names or descriptions, exemplars or none, casing and
punctuation, values, functions that are not meant, slots of other functions.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from constrained_du.decoding import prompt, reading
from constrained_du.slots.view import View
from constrained_du.specs.exemplars import Exemplar, read_exemplars
from constrained_du.specs.schema import Enumerated, Member, Record, walk
from constrained_du.specs.spec import Function, read_specs
from constrained_du.types import Span

MEANT, NOT_MEANT = 8, 4  # utterances of a pack
SILENT = -100  # a word whose slot is not known: nothing is learnt from it
HELD = ("Hotels_", "Music_", "RentalCars_")
"""Services that are kept from training, to see how it goes on others."""


@dataclass(frozen=True)
class Turn:
    text: str
    function: str | None
    """Label; None for thanks and goodbyes."""
    spans: dict[str, Span]
    unsaid: frozenset[str]
    """Slots with a value whose words are not known."""
    asked: tuple[str, ...]


@dataclass(frozen=True)
class Segment:
    """One utterance of a pack: tokens after the head, and (index, answer) of what is learnt.

    Answers about words are indices of slots, the number of slots meaning none."""

    tokens: tuple[int, ...]
    meant: tuple[int, bool]
    words: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Pack:
    head: tuple[int, ...]
    answers: tuple[int, ...]
    """The token of each slot."""
    segments: tuple[Segment, ...]
    plain: tuple[int, ...]
    """A prompt of scoring without anything to learn: what the model holds likely there must stay."""

    @property
    def size(self) -> int:
        return len(self.head) + sum(len(segment.tokens) for segment in self.segments)


class Turns:
    """The training split, by function; ``held`` services apart."""

    def __init__(self, folder: Path, held: bool) -> None:
        functions = {function.label: function for function in read_specs(json.loads((folder / "functions.json").read_text()))}
        services: dict[str, list[str]] = json.loads((folder / "services.json").read_text())
        away = {label for name, labels in services.items() for label in labels if name.startswith(HELD)}
        self.functions = {label: f for label, f in functions.items() if (label in away) == held}
        self.service = {label: name for name, labels in services.items() for label in labels}
        self.turns: dict[str | None, list[Turn]] = defaultdict(list)
        self.values: dict[str, list[str]] = defaultdict(list)
        with gzip.open(folder / "train.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                for turn in _turns(line, functions):
                    if turn.function is None or turn.function in self.functions:
                        self.turns[turn.function].append(turn)
                        for slot, span in turn.spans.items():
                            self.values[slot].append(turn.text[span.start : span.end])
        self.functions = {label: function for label, function in self.functions.items() if self.turns.get(label)}

    def packs(self, encode: reading.Encode, piece: reading.Piece, seed: int) -> Iterator[Pack]:
        """Endless; the same ones for the same seed."""
        chance = random.Random(seed)
        labels = sorted(self.functions)
        weights = [len(self.turns[label]) ** 0.5 for label in labels]
        while True:
            yield self._pack(chance.choices(labels, weights)[0], encode, piece, chance)

    def _pack(self, label: str, encode: reading.Encode, piece: reading.Piece, chance: random.Random) -> Pack:
        function, slots = self._varied(self.functions[label], chance)
        own = chance.sample(self.turns[label], min(len(self.turns[label]), MEANT + reading.MOST_SHOWN))
        rich = [turn for turn in own[MEANT:] if turn.spans]
        shown = self._exemplars(function, slots, rich, chance) if chance.random() < 0.5 else []
        named = replace(function, record=Record(tuple(slots)))
        segments: list[Segment] = []
        for number, turn in enumerate(own[:MEANT]):
            if number and chance.random() < 0.2:
                turn = _joined(own[number - 1], turn, chance)
            segments.append(self._segment(self._reworded(turn, chance), slots, True, encode, piece, chance))
        for _ in range(NOT_MEANT):
            segments.append(self._segment(self._foreign(label, chance), slots, False, encode, piece, chance))
        answers = tuple(answer.token for answer in reading.answers(encode, slots).values())
        head = tuple(encode(reading.head(encode, named, shown)))
        return Pack(head, answers, tuple(segments), tuple(encode(self._plain(label, chance))))

    def _plain(self, label: str, chance: random.Random) -> str:
        """The direct prompt or the channel of the function or of another, with what a user said."""
        said = chance.choice(self.turns[label]).text
        function = self.functions[label if chance.random() < 0.5 else chance.choice(sorted(self.functions))]
        if chance.random() < 0.4:
            return f"{prompt.DIRECT_HEAD}{said}{prompt.DIRECT_TAIL}{prompt.direct_choice(function)}"
        return f"{prompt.channel(function) if chance.random() < 0.8 else prompt.GENERIC}{said}"

    def _varied(self, function: Function, chance: random.Random) -> tuple[Function, list[Member]]:
        slots = [slot for slot in function.slots if chance.random() < 0.88]
        if chance.random() < 0.5:
            taken = {word for slot in function.slots for word in slot.name.split("_")}
            others = [s for f in self.functions.values() for s in f.slots if not taken & set(s.name.split("_"))]
            slots += list({s.name: s for s in chance.sample(others, min(len(others), chance.randint(1, 6)))}.values())
        chance.shuffle(slots)
        slots = slots[: reading.MOST_SLOTS]
        style = chance.random()
        bare = [self._styled(replace(slot, description=_thinned(slot.description, chance)), style, chance) for slot in slots]
        name = function.name if chance.random() < 0.67 else "it"
        description = function.description if name == "it" or chance.random() < 0.75 else ""
        return replace(function, names=(name,), description=description), bare

    @staticmethod
    def _styled(slot: Member, style: float, chance: random.Random) -> Member:
        """Name and description, name only, or description only (under a name that says nothing)."""
        listed = any(isinstance(s, Enumerated) for s in walk(slot.schema))
        kept = replace(slot, title="") if not listed or chance.random() < 0.7 else replace(slot, title="", schema=Record(()))
        if style < 0.55:
            return kept
        if style < 0.8:
            return replace(kept, description="")
        return replace(kept, title="value") if slot.description else kept

    def _exemplars(
        self, function: Function, slots: Sequence[Member], turns: Sequence[Turn], chance: random.Random
    ) -> list[Exemplar]:
        names = frozenset(slot.name for slot in slots)
        templates = []
        for turn in turns[: chance.randint(1, reading.MOST_SHOWN)]:
            text = turn.text
            for slot, span in sorted(turn.spans.items(), key=lambda item: -item[1].start):
                if slot in names:
                    text = f"{text[: span.start]}<{slot}>{text[span.end :]}"
            templates.append({"template": text})
        if not templates:
            return []
        return list(read_exemplars({function.label: templates}, {function.label: names}))

    def _foreign(self, label: str, chance: random.Random) -> Turn:
        """An utterance of another function: of the same service, of another, or thanks."""
        kind = chance.random()
        sisters = [other for other in sorted(self.functions) if other != label and self.service[other] == self.service[label]]
        if kind < 0.3 and sisters:
            other: str | None = chance.choice(sisters)
        elif kind < 0.8:
            family = self.service[label].split("_")[0]
            other = chance.choice([o for o in sorted(self.functions) if self.service[o].split("_")[0] != family])
        else:
            other = None
        return self._reworded(replace(chance.choice(self.turns[other]), asked=()), chance)

    def _reworded(self, turn: Turn, chance: random.Random) -> Turn:
        """Other values, other case, no full stop: each sometimes."""
        text, spans = turn.text, dict(turn.spans)
        for slot in sorted(spans, key=lambda name: -spans[name].start):
            if chance.random() < 0.5:
                span, value = spans[slot], chance.choice(self.values[slot])
                shift = len(value) - (span.end - span.start)
                text = text[: span.start] + value + text[span.end :]
                spans = {n: Span(s.start + shift, s.end + shift) if s.start > span.start else s for n, s in spans.items()}
                spans[slot] = Span(span.start, span.start + len(value))
        if chance.random() < 0.4:
            lowered = text.lower()
            text = lowered if len(lowered) == len(text) else text
        if chance.random() < 0.4 and text[-1:] in ".?!" and all(span.end < len(text) for span in spans.values()):
            text = text[:-1]
        return replace(turn, text=text, spans=spans)

    def _segment(self, turn: Turn, slots: Sequence[Member], meant: bool, encode: reading.Encode, piece: reading.Piece,
                 chance: random.Random) -> Segment:  # fmt: skip
        units = [Span(unit.start, unit.end) for unit in View(turn.text).units]
        expected = [slot for slot in slots if slot.name in turn.asked] if chance.random() < 0.7 else []
        placed = reading.layout(encode, piece, turn.text, units, expected, bool(slots))
        number = {slot.name: index for index, slot in enumerate(slots)}
        answers: list[tuple[int, int]] = []
        vague = bool(turn.unsaid & set(number))
        for unit, at in zip(units, placed.words, strict=False):
            slot = next((name for name, span in turn.spans.items() if span.start <= unit.start and unit.end <= span.end), None)
            # what is not listed here may well fill a slot lent by another function
            answer = number.get(slot, SILENT) if slot is not None else SILENT if vague else len(slots)
            if answer != SILENT and (meant or turn.function is None):
                answers.append((at, answer))
        return Segment(placed.tokens, (placed.meant, meant), tuple(answers))


def _thinned(description: str, chance: random.Random) -> str:
    """Sometimes without some of its words."""
    if chance.random() < 0.6:
        return description
    return " ".join(word for word in description.split() if chance.random() < 0.75)


def _joined(first: Turn, second: Turn, chance: random.Random) -> Turn:
    """Two turns in one breath, where they fill different slots."""
    if not first.spans or not second.spans or {*first.spans, *first.unsaid} & {*second.spans, *second.unsaid}:
        return second
    start = first.text.rstrip(".?! ") + chance.choice((" ", ", ", " and "))
    if any(span.end > len(start) for span in first.spans.values()):
        return second
    spans = first.spans | {name: Span(span.start + len(start), span.end + len(start)) for name, span in second.spans.items()}
    return Turn(start + second.text, first.function, spans, first.unsaid | second.unsaid, first.asked)


_NUMBERS = "zero one two three four five six seven eight nine ten".split()


def _turns(line: dict[str, Any], functions: dict[str, Function]) -> Iterator[Turn]:
    if not line["calls"]:
        yield Turn(line["utterance"], None, {}, frozenset(), ())
        return
    if len(line["calls"]) != 1 or line["calls"][0]["name"] not in functions:
        return
    call = line["calls"][0]
    function = functions[call["name"]]
    spans = {slot: Span(*edges) for slot, edges in call.get("spans", {}).items()}
    unsaid: set[str] = set()
    for slot, value in call["arguments"].items():
        if slot in spans or str(value) in ("True", "False"):
            continue
        found = _found(line["utterance"], str(value))
        if found is not None and not any(s.start < found.end and found.start < s.end for s in spans.values()):
            spans[slot] = found
        else:
            unsaid.add(slot)
    asked = tuple(slot for slot, label in line.get("expectations", ()) if label == function.label)
    yield Turn(line["utterance"], function.label, spans, frozenset(unsaid), asked)


def _found(text: str, value: str) -> Span | None:
    """Where a listed value was said, if it was so once."""
    forms = [value, *([_NUMBERS[int(value)]] if value.isdecimal() and int(value) < len(_NUMBERS) else [])]
    matches = [m for form in forms for m in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE)]
    return Span(*matches[0].span()) if len(matches) == 1 else None
