"""Finds the dates, times of day, moments, lengths and rhythms said in an utterance.

English, Japanese and Chinese. What cannot be placed on a calendar (April 31, 25:00) gives
nothing, and no part of it; what depends on a ``now`` that was not given stays verbatim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

from constrained_du.recognizers.calendar import (
    Clock,
    Day,
    Duration,
    Moment,
    Now,
    Offset,
    Recurrence,
    iso_time,
)
from constrained_du.recognizers.named_days import shift_moment
from constrained_du.recognizers.rules_cjk import CJK_RULES
from constrained_du.recognizers.rules_en import ENGLISH_RULES
from constrained_du.recognizers.spelling import even_out
from constrained_du.recognizers.time_grammar import find_atoms, index_rules
from constrained_du.recognizers.time_phrases import Said, read_phrases
from constrained_du.recognizers.time_resolution import Resolver
from constrained_du.recognizers.time_tokens import tokenize

_OF_24 = re.compile(r"(?<![\d:.])(?:1[3-9]|2[0-3]):[0-5]\d(?![\d:])(?! ?[ap]\.?m\b)", re.IGNORECASE)
_WAKES = re.compile(r"\b(?:wake|waking|get) (?:\w+ ){0,2}?up\b|\bwake[ -]?(?:up|me|us|him|her|them)\b", re.IGNORECASE)
_RULES = index_rules(ENGLISH_RULES + CJK_RULES)

TimeKind = Literal["date", "time", "date-time", "duration"]


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time expression: code points [start, end) and its ISO 8601 text.

    ``resolved`` False: it is relative and no ``now`` was given; ``value`` is then the surface text.
    ``recurring``: the RRULE of a rhythm ("every Monday"), whose first occurrence is ``value``.
    """

    start: int
    end: int
    value: str
    resolved: bool
    recurring: str | None = None


def find_times(text: str, kind: TimeKind, now: datetime | None = None, past: bool = False) -> tuple[FoundTime, ...]:
    """All expressions of one kind, left to right.

    Several for one span only where it is ambiguous, likeliest first; ``past``: days that come round again are the last such
    ones. Time linear in the length of ``text``; never raises.
    """
    phrases = _read(text)
    if not phrases:
        return ()
    of_24, early = _OF_24.search(text) is not None, _WAKES.search(text) is not None
    view = _View(text, now, Resolver(phrases, now, past, of_24, early))
    return tuple(found for said in phrases for found in _PROJECTIONS[kind](said, view))


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[Said, ...]:
    """The phrases of an utterance; kept, since every slot asks for the same one."""
    tokens = tokenize(even_out(text))
    atoms = find_atoms(tokens, _RULES)
    return tuple(read_phrases(atoms, tokens)) if atoms else ()


@dataclass(frozen=True, slots=True)
class _View:
    """The utterance, the moment of speaking, and what the phrases mean at it."""

    text: str
    now: datetime | None
    resolver: Resolver

    def found(self, span: tuple[int, int], value: str | None, recurring: str | None = None) -> FoundTime:
        """``value`` None: unresolved."""
        start, end = span
        if value is None:
            return FoundTime(start, end, self.text[start:end], False, recurring)
        return FoundTime(start, end, value, True, recurring)


def _as_dates(said: Said, view: _View) -> list[FoundTime]:
    meaning = said.atom.meaning
    span = (said.atom.start, said.atom.end)
    today = view.now.date() if view.now else None
    if isinstance(meaning, Moment):
        return [view.found((span[0], span[0] + 10), meaning.day.isoformat())]
    if isinstance(meaning, Recurrence) and meaning.rule == "FREQ=DAILY":
        return [view.found(span, today.isoformat() if today else None, meaning.rule)]
    if isinstance(meaning, Offset):
        if meaning.duration.seconds:
            return []
        moved = shift_moment(view.now, meaning.duration, meaning.sign) if view.now else None
        return [view.found(span, moved.date().isoformat() if moved else None)] if moved or not view.now else []
    if not isinstance(meaning, Day):
        return []
    days = view.resolver.days(said)
    if days is None:
        return [view.found(span, None, meaning.recurring)]
    return [view.found(span, day.isoformat(), meaning.recurring) for day in days]


def _as_times(said: Said, view: _View) -> list[FoundTime]:
    meaning = said.atom.meaning
    span = (said.atom.start, said.atom.end)
    if isinstance(meaning, Moment):
        return [view.found((span[0] + 11, span[1]), meaning.clock)]
    if isinstance(meaning, Now):
        return [view.found(span, view.now.strftime("%H:%M") if view.now else None)]
    if isinstance(meaning, Offset):
        if not meaning.duration.seconds:
            return []
        moved = shift_moment(view.now, meaning.duration, meaning.sign) if view.now else None
        return [view.found(span, moved.strftime("%H:%M") if moved else None)] if moved or not view.now else []
    if not isinstance(meaning, Clock):
        return []
    at, _ = view.resolver.clock(said)
    return [view.found(span, iso_time(meaning, at), said.recurring)]


def _as_moments(said: Said, view: _View) -> list[FoundTime]:
    meaning = said.atom.meaning
    span = (said.atom.start, said.atom.end)
    if isinstance(meaning, Moment):
        return [view.found(span, _with_zone(meaning, view.now))]
    if isinstance(meaning, Now):
        return [view.found(span, view.now.replace(microsecond=0).isoformat() if view.now else None)]
    if isinstance(meaning, Offset) and not said.has_clock:
        moved = shift_moment(view.now, meaning.duration, meaning.sign) if view.now else None
        text = moved.replace(microsecond=0).isoformat() if moved else None
        return [view.found(span, text)] if moved or not view.now else []
    if not isinstance(meaning, Clock) or meaning.zone == "?" or said.impossible:
        return []
    return _dated_clock(said, meaning, view)


def _dated_clock(said: Said, clock: Clock, view: _View) -> list[FoundTime]:
    at, days = view.resolver.clock(said)
    if days is None:
        return [view.found(said.span, None, said.recurring)]
    found = []
    for day in days:
        moment = datetime.combine(day, at)
        if view.now is not None and view.now.tzinfo is not None and not clock.zone:
            moment = moment.replace(tzinfo=view.now.tzinfo)
        found.append(view.found(said.span, moment.isoformat() + clock.zone, said.recurring))
    return found


def _with_zone(moment: Moment, now: datetime | None) -> str:
    """As written; where no zone was, with the zone of ``now``."""
    if moment.zone or now is None or now.tzinfo is None:
        return moment.text
    return datetime.fromisoformat(moment.text).replace(tzinfo=now.tzinfo).isoformat()


def _as_durations(said: Said, view: _View) -> list[FoundTime]:
    atom, meaning = said.atom, said.atom.meaning
    if isinstance(meaning, Duration):
        return [view.found((atom.start, atom.end), meaning.iso)]
    if isinstance(meaning, Offset) and meaning.sign > 0 and atom.amount is not None:
        return [view.found(atom.amount, meaning.duration.iso)]
    if isinstance(meaning, Recurrence) and meaning.duration is not None and meaning.rule != "FREQ=DAILY":
        return [view.found((atom.start, atom.end), meaning.duration.iso, meaning.rule)]
    return []


_PROJECTIONS = {"date": _as_dates, "time": _as_times, "date-time": _as_moments, "duration": _as_durations}
