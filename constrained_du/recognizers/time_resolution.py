"""Puts days and times of day on the calendar, as seen from ``now``.

Works on the phrases of one utterance; where ``now`` is missing, what depends on it stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from constrained_du.recognizers import calendar as cal
from constrained_du.recognizers import named_days
from constrained_du.recognizers.calendar import Clock, Day, Offset, Recurrence
from constrained_du.recognizers.time_phrases import Said

_DAWN = 4  # the first hour at which people are woken
_NO_DAY = date(2000, 1, 1)
"""The reference of days that need none."""

Days = tuple[date, ...] | None
"""The days that may be meant, likeliest first; None: only a reference day would tell."""


def _last_before(day: Day, today: date) -> tuple[date, ...]:
    """The last such day before today, a week, a month or a year back; none where there was none."""
    for back in (7, 31, 366):
        days = [found for start in named_days.shift_days(today, -back) for found in day.rule(start) if found < today]
        if days:
            return tuple(days)
    return ()


class Resolver:
    """What the phrases of one utterance mean at ``now`` (None: no reference was given).

    Phrases are resolved in order, each once, since the end of a range looks back at its beginning. ``past``: all of them
    have passed, where they may have. ``of_24``: hours are counted to 24, so that 8:00 is in the morning. ``early``:
    somebody is to be woken, which is in the morning too.
    """

    def __init__(
        self, phrases: Sequence[Said], now: datetime | None, past: bool = False, of_24: bool = False, early: bool = False
    ) -> None:
        self._now, self._past = now, past
        self._of_24, self._early = of_24, early
        self._today = now.date() if now else None
        self._days: dict[int, Days] = {}
        self._clocks: dict[int, tuple[time, Days]] = {}
        for said in phrases:
            if said.is_day:
                self._days[id(said)] = self._resolve_day(said)
        for said in phrases:
            if said.clock is not None:
                self._clocks[id(said)] = self._resolve_clock(said, said.clock)

    def days(self, said: Said) -> Days:
        """The days of a phrase that is a day."""
        return self._days[id(said)]

    def clock(self, said: Said) -> tuple[time, Days]:
        """The time of day of a phrase that is one, and the days of the moment that it makes."""
        return self._clocks[id(said)]

    def _resolve_day(self, said: Said) -> Days:
        meaning = said.atom.meaning
        if isinstance(meaning, Offset):
            meaning = named_days.later(meaning.duration, meaning.sign)
        if isinstance(meaning, Recurrence):
            return (self._today,) if self._today else None
        if not isinstance(meaning, Day):
            return ()
        if meaning.absolute:
            return meaning.rule(_NO_DAY)
        if self._today is None:
            return None
        days = meaning.rule(self._today)
        if (said.is_over or (self._past and said.comes_round)) and days and days[0] > self._today:
            return _last_before(meaning, self._today) or days
        first = self._days.get(id(said.after))
        return meaning.rule(first[0]) if first and days and days[0] < first[0] else days

    def _resolve_clock(self, said: Said, clock: Clock) -> tuple[time, Days]:
        hour, tomorrow = self._hour(said, clock)
        at = clock.at(hour)
        if said.day is None:
            return at, named_days.shift_days(self._today, int(tomorrow)) if self._today else None
        days = self._days[id(said.day)]
        if days is None:
            return at, None
        if said.recurring and self._now and days[:1] == (self._today,) and at <= self._now.time():
            days = self._next_of_rhythm(said.day, days[0])
        shift = clock.days or int(said.after is not None and at <= self._clocks[id(said.after)][0])
        return at, tuple(later for day in days for later in named_days.shift_days(day, shift))

    def _next_of_rhythm(self, said: Said, today: date) -> tuple[date, ...]:
        """The day after today on which a rhythm whose time has passed comes round again."""
        tomorrow = today + timedelta(days=1) if today < date.max else today
        return said.atom.meaning.rule(tomorrow) if isinstance(said.atom.meaning, Day) else (tomorrow,)

    def _hour(self, said: Said, clock: Clock) -> tuple[int, bool]:
        """The hour of 24 that is meant, and whether it is only tomorrow's."""
        now = self._now
        neighbour = self._hour_by_neighbour(said, clock)
        if neighbour is not None:
            return neighbour, now is not None and said.day is None and clock.at(neighbour) <= now.time()
        if self._early and len(clock.hours()) == 2 and _DAWN <= clock.hour < 12:
            return clock.hour, now is not None and said.day is None and clock.at(clock.hour) <= now.time()
        if now is None:
            return clock.hour, False
        if said.day is None:
            if said.until is not None and clock.at(clock.hour) == now.time():
                return clock.hour, False
            at, tomorrow = cal.next_time(clock, now)
            return at.hour, tomorrow
        days = self._days[id(said.day)]
        if days and days[0] == self._today and not said.recurring:
            coming = [hour for hour in clock.hours() if clock.at(hour) > now.time()]
            return (coming or [clock.hours()[-1]])[0], False
        return cal.waking_time(clock).hour, False

    def _hour_by_neighbour(self, said: Said, clock: Clock) -> int | None:
        """The hour that the other end of a range, or a time named beside, makes likely."""
        hours = clock.hours()
        if len(hours) == 1:
            return None
        if said.after is not None:
            first, _ = self._clocks[id(said.after)]
            return next((hour for hour in hours if clock.at(hour) > first), hours[0])
        if said.until is not None and (end := said.until.clock) is not None and len(end.hours()) == 1:
            earlier = [hour for hour in hours if clock.at(hour) < end.at(end.hour)]
            return (earlier or list(hours))[-1]
        if self._of_24:
            return clock.hour  # "at 8:00 and 20:00"
        other = said.beside
        if other is None or other.clock is None:
            return None
        if id(other) in self._clocks:
            return min(hours, key=lambda hour: abs(hour - self._clocks[id(other)][0].hour))
        beside = other.clock
        return min(hours, key=lambda hour: abs(hour - beside.hour)) if len(beside.hours()) == 1 else None
