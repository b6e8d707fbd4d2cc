"""Which functions do something, and which of these an utterance speaks of without asking for them.

Knows functions by their words and exemplars; no slots and no scores.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from constrained_du.decoding.prompt import exemplar_text
from constrained_du.specs.exemplars import Exemplar
from constrained_du.specs.instances import CONVERSATION
from constrained_du.specs.schema import Member
from constrained_du.specs.spec import Function
from constrained_du.specs.tenses import is_past
from constrained_du.text.acts import Unasked, bases, unasked
from constrained_du.text.lexicon import FUNCTION_WORDS, PLEASANTRIES, stem, words_of
from constrained_du.text.opposites import is_end, sides
from constrained_du.text.remarks import does
from constrained_du.text.words import atoms

_STOPPING = frozenset(
    """ban block cancel decline delete disable end hide mute opt pause reject remove revoke silence skip
    stop unsubscribe""".split()
)
_HEARING = frozenset(
    """absence claim comment complain complaint correct enter fault feedback issue journal log message note notify problem
    rate rating record register remark report review submit symptom tell track update""".split()
)
_WAITING = frozenset(
    """alert automation condition monitor notification notify queue remind reminder routine rule standby threshold trigger
    wait waitlist warn warning watch""".split()
)
_AHEAD = frozenset(
    """alarm appointment arrange book booking buy deliver delivery hire new order pay plan rebook rent request reschedule
    reserve schedule send set transfer wake""".split()
)
_ENDING = frozenset(
    """away bin call cancel clear cross cut delete ditch drop dump end erase forget get just longer off please remove rid scrap
    stop strike take trash withdraw""".split()
)
_KEEPING = frozenset("archive extend hold keep remember renew retain save store".split())
_PRICING = frozenset("cost estimate fee price quote".split())
_ASKING = frozenset("how what when where whether which who why".split())
"""The first words of the description of what is only told."""
_GIVING = frozenset("record records return returns".split())


@dataclass(frozen=True)
class Deed:
    """What a function does, as far as its words and exemplars tell."""

    function: Function
    exemplars: Sequence[Exemplar]

    @cached_property
    def is_one(self) -> bool:
        """Whether it does something, rather than tell something; what a conversation is about is no deed."""
        function = self.function
        first = next(iter(words_of(function.description)), "")
        if CONVERSATION in function.extras or first in _ASKING:
            return False
        return any(map(does, (function.label, function.name))) or (first not in _GIVING and does(stem(first)))

    @cached_property
    def shown(self) -> frozenset[tuple[str, bool]]:
        """The kinds of utterances among its exemplars that ask for nothing by their words, and whether they want less of
        something: here they do ask."""
        kinds = (unasked(exemplar_text(exemplar)) for exemplar in self.exemplars if exemplar.mode != "negative")
        return frozenset((found.kind, found.wants_less) for found in kinds if found is not None)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for text in words_of(f"{self.function.label} {self.function.name}") for word in (text, stem(text)))

    @cached_property
    def stops(self) -> bool:
        """Whether it ends something, which who wants no more of it may ask for."""
        return bool(self._words & _STOPPING) or is_end(sides(self.function.label.replace("_", " ")))

    @cached_property
    def _verbs(self) -> frozenset[str]:
        """What it may be called to do: the words of its name and its exemplars."""
        texts = map(exemplar_text, self.exemplars)
        return self._words | {word for text in texts for word in words_of(text)} - FUNCTION_WORDS

    def is_named(self, verb: str) -> bool:
        """Whether a form of a verb is the function's own: "ordering", "ordered" of ``order_card``."""
        return not self._verbs.isdisjoint(bases(verb))

    @cached_property
    def goes_both_ways(self) -> bool:
        """Whether its description has it begin something and end it: "connect or disconnect a phone"."""
        words = words_of(self.function.description)
        undone = any(word.removeprefix(prefix) in words for word in words for prefix in ("un", "dis") if word.startswith(prefix))
        return undone or {"on", "off"} <= set(words) or ("or" in words and not _STOPPING.isdisjoint(map(stem, words)))

    def is_undone(self, words: Collection[str]) -> bool:
        """Whether one of the words undoes what the function does: "unblock" of ``block_card``."""
        return any(word.removeprefix("un") in self._words and word not in self._words for word in words if word.startswith("un"))

    def lies_ahead(self, slot: Member) -> bool:
        """Whether the day in a slot is one on which something shall be done, so that it cannot have passed."""
        told = is_past(slot) or self.stops or not self._words.isdisjoint(_HEARING)
        return self.is_one and not told and not _AHEAD.isdisjoint(self._words | set(words_of(slot.name)))

    def is_withheld(self, said: Unasked) -> bool:
        """Whether an utterance that asks for nothing by its words does not ask for this."""
        if not self.is_one or (said.kind, said.wants_less) in self.shown:
            return False
        match said.kind:
            case "condition":
                return self._words.isdisjoint(_WAITING)
            case "question":
                return self._words.isdisjoint(_PRICING)
            case "told" | "done":
                return self._words.isdisjoint(_HEARING)
            case "declined":
                return self.is_named(said.verb)
            case "kept":
                return self._words.isdisjoint(_KEEPING)
            case "forbidden":
                return not said.wants_less or not (self.goes_both_ways or (self.stops and not self.is_named(said.verb)))
            case _:
                return True


def ends_others(explained: Sequence[frozenset[str]], enders: Sequence[bool], text: str) -> tuple[bool, ...]:
    """For each function that ends something whether another thing is to end: "cancel my facial" of ``cancel_call``, where
    another function knows of facials. ``explained`` are the stems that each function accounts for."""
    words = (word for atom in atoms(text) if atom.kind == "word" for word in words_of(atom.text))
    said = frozenset(stem(word) for word in words if len(word) > 1) - _ENDING - FUNCTION_WORDS - PLEASANTRIES
    known = any(not own.isdisjoint(said) for own, end in zip(explained, enders, strict=True) if not end)
    return tuple(known and end and own.isdisjoint(said) for own, end in zip(explained, enders, strict=True))


def withheld(deeds: Sequence[Deed], text: str) -> tuple[bool, ...]:
    """For each function whether an utterance that may speak of it does not ask for it."""
    said = unasked(text)
    topics = not any(deed.function.slots for deed in deeds)  # what takes no arguments is a matter to speak of
    if said is None or (topics and said.kind in ("question", "told", "done")):
        return (False,) * len(deeds)
    if said.kind == "done" and not any(deed.is_one and deed.is_named(said.verb) for deed in deeds):
        return (False,) * len(deeds)  # "my card was stolen" tells of nothing that a function does
    return tuple(deed.is_withheld(said) for deed in deeds)
