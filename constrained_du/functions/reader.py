"""The readings of one utterance by a taught model: one pass over the functions asked about, kept
while the utterance is answered.

Joins ``reading`` (texts and tokens) with a backend. Says what the model holds likely; judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from constrained_du.decoding import reading
from constrained_du.decoding.backend import Backend, Passage, Prefix
from constrained_du.slots.tags import Tags
from constrained_du.slots.view import View
from constrained_du.specs.spec import Function
from constrained_du.types import Span

MOST_HEAD = 512  # tokens; a function with a longer one is read from its end


@dataclass(frozen=True)
class Read:
    """``meant`` is the log odds that the function is meant; ``tags`` are None where it has no slots."""

    meant: float
    tags: Tags | None


def head_of(function: Function, backend: Backend) -> list[int]:
    """The tokens before every utterance that is read for a function."""
    return [*backend.start_tokens, *backend.encode(reading.head(backend.encode, function))][-MOST_HEAD:]


@dataclass
class Reader:
    """``heads`` are prefixes by function index, of those that are read; ``expected`` names the slots that
    were just asked for, by function label."""

    backend: Backend
    functions: Sequence[Function]
    heads: Mapping[int, Prefix]
    view: View
    expected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _known: dict[int, Read] = field(default_factory=dict)

    @cached_property
    def can_read(self) -> bool:
        """Whether there is a taught model that reads this script, and the utterance is short enough."""
        if not self.heads or not self.backend.taught or 2 * sum(self.view.is_unspaced) > len(self.view.units):
            return False
        return len(self.backend.encode(self.view.text)) <= reading.MOST_TOKENS

    def reads(self, index: int) -> bool:
        """Whether the model can be asked about a function."""
        return index in self.heads and self.can_read

    @property
    def known(self) -> Mapping[int, Read]:
        return self._known

    def of(self, indices: Iterable[int]) -> Mapping[int, Read]:
        """The readings for these functions; the model is asked once for those that are new."""
        if not self.can_read:
            return {}
        wanted = [index for index in dict.fromkeys(indices) if index in self.heads]
        new = [index for index in wanted if index not in self._known]
        laid = {index: self._layout(self.functions[index]) for index in new}
        passages = [self._passage(index, laid[index]) for index in new]
        for index, found in zip(new, self.backend.read(passages) if passages else (), strict=True):
            self._known[index] = self._read(self.functions[index], found)
        return {index: self._known[index] for index in wanted}

    def _layout(self, function: Function) -> reading.Layout:
        asked = self.expected.get(function.label, frozenset())
        units = [Span(unit.start, unit.end) for unit in self.view.units]
        expected = [slot for slot in function.slots if slot.name in asked]
        return reading.layout(self.backend.encode, self.backend.piece, self.view.text, units, expected, bool(function.slots))

    def _passage(self, index: int, laid: reading.Layout) -> Passage:
        tokens = [answer.token for answer in self._answers(self.functions[index]).values()]
        words = tuple((at, (*tokens, self._none)) for at in laid.words)
        last = max((laid.meant, *laid.words))
        return Passage(self.heads[index], laid.tokens[: last + 1], ((laid.meant, self._verdicts), *words))

    def _answers(self, function: Function) -> Mapping[str, reading.Answer]:
        return reading.answers(self.backend.encode, function.slots)

    def _read(self, function: Function, found: Sequence[Sequence[float]]) -> Read:
        (yes, no), *words = found
        if not words:
            return Read(yes - no, None)
        return Read(yes - no, Tags(list(self._answers(function)), words))

    @cached_property
    def _none(self) -> int:
        return self._one(reading.NO_SLOT)

    @cached_property
    def _verdicts(self) -> tuple[int, int]:
        return self._one(reading.YES), self._one(reading.NO)

    def _one(self, text: str) -> int:
        return self.backend.encode(text)[0]
