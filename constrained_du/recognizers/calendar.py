"""What time expressions mean: days, times of day, lengths, rhythms.

Pure values and functions on them: no text, no tokens, no clock of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time
from fractions import Fraction

DayRule = Callable[[date], tuple[date, ...]]
"""Reference day -> the days that may be meant, likeliest first; empty: none exists."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day: turns an hour said with it into one of 24.

    ``noon``: what 12 becomes; ``from_hour``..``to_hour``: hours said that lie twelve hours later;
    ``next_day_to``: hours up to this one belong to the night after the day ("tonight at 1").
    """

    name: str
    noon: int
    from_hour: int
    to_hour: int
    next_day_to: int = -1

    def hour(self, said: int) -> int:
        if said == 12:
            return self.noon
        return said + 12 if self.from_hour <= said <= self.to_hour else said

    def is_next_day(self, said: int) -> bool:
        return self.next_day_to >= 0 and (said == 12 or said <= self.next_day_to)


MORNING = Part("morning", 0, 13, 12)
NOONTIME = Part("noon", 12, 1, 4)
AFTERNOON = Part("afternoon", 12, 1, 11)
EVENING = Part("evening", 0, 1, 11, 0)
NIGHT = Part("night", 0, 5, 11, 4)
AM = Part("am", 0, 13, 12)
PM = Part("pm", 12, 1, 11)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as said. ``sure``: it cannot be meant twelve hours later.

    ``weak``: a bare number, a time only beside other times. ``days``: 1 for the midnight after the day.
    ``zone``: the offset said with it ("+00:00"), "?" for a zone whose offset is not known here.
    """

    hour: int
    minute: int = 0
    second: int | None = None
    sure: bool = False
    weak: bool = False
    days: int = 0
    zone: str = ""

    def at(self, hour: int) -> time:
        return time(hour, self.minute, self.second or 0)

    def hours(self) -> tuple[int, ...]:
        """The hours of 24 that may be meant, earliest first."""
        if self.sure or self.hour > 12:
            return (self.hour,)
        return (self.hour % 12, self.hour % 12 + 12)


@dataclass(frozen=True, slots=True)
class Day:
    """A day as said. ``absolute``: the reference day does not matter. ``part``: "tomorrow morning"."""

    rule: DayRule
    absolute: bool = False
    part: Part | None = None
    recurring: str | None = None


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time: months, days and seconds as the largest units said make them; ISO 8601 in ``iso``."""

    iso: str
    months: int = 0
    days: int = 0
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class Offset:
    """A moment so far from the reference: "in 30 minutes" (``sign`` 1), "3 days ago" (-1)."""

    duration: Duration
    sign: int = 1


@dataclass(frozen=True, slots=True)
class Moment:
    """A date with a time, written in digits; ``zone`` is "", "Z" or "+02:00"; ``text`` as written.

    ``clock`` is the time as text, with seconds only where they were written.
    """

    day: date
    clock: str
    zone: str
    text: str


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rhythm without a day of its own: "daily", "every 3 minutes". ``duration``: its step, if said."""

    rule: str
    duration: Duration | None = None
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Now:
    """The moment of speaking itself."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """Looks like a day or a time and is none (April 31, 25:00): no part of it may be taken."""

    days: bool = field(default=True)


Meaning = Day | Clock | Duration | Offset | Moment | Recurrence | Now | Part | Impossible

# --- lengths ------------------------------------------------------------------------------------------------

UNIT_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
UNIT_MONTHS = {"month": 1, "year": 12}
_LETTERS = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "H", "minute": "M", "second": "S"}
_ORDER = tuple(_LETTERS)
_MOST = 10**6


def make_duration(amounts: list[tuple[Fraction, str]]) -> Duration | None:
    """A duration of (amount, unit) pairs, largest unit first; None where it has no exact ISO 8601 text."""
    places = [_ORDER.index(unit) for _, unit in amounts]
    if places != sorted(set(places)) or not all(0 <= amount <= _MOST for amount, _ in amounts):
        return None
    whole: dict[str, int] = {}
    seconds = Fraction(0)
    for amount, unit in amounts:
        if amount.denominator == 1:
            whole[unit] = whole.get(unit, 0) + amount.numerator
        elif unit in UNIT_MONTHS:
            months = amount * UNIT_MONTHS[unit]
            if months.denominator != 1 or amounts != [(amount, unit)]:
                return None
            whole |= {"year": months.numerator // 12, "month": months.numerator % 12}
        else:
            seconds += amount * UNIT_SECONDS[unit]
    if seconds and not _spread(seconds, whole):
        return None
    return _duration_of(whole)


def _spread(seconds: Fraction, whole: dict[str, int]) -> bool:
    """Puts the seconds of broken amounts into ``whole``: 1.5 hours is 1 hour 30 minutes."""
    if seconds.denominator != 1:
        return False
    rest = seconds.numerator
    for unit in ("day", "hour", "minute", "second"):
        count, rest = divmod(rest, UNIT_SECONDS[unit])
        whole[unit] = whole.get(unit, 0) + count
    return True


def _duration_of(whole: dict[str, int]) -> Duration:
    said = {unit: count for unit, count in whole.items() if count} or dict(list(whole.items())[:1])
    if "week" in said and len(said) > 1:
        said["day"] = said.get("day", 0) + 7 * said.pop("week")
    dates = "".join(f"{said[u]}{_LETTERS[u]}" for u in _ORDER[:4] if u in said)
    times = "".join(f"{said[u]}{_LETTERS[u]}" for u in _ORDER[4:] if u in said)
    return Duration(
        "P" + dates + ("T" + times if times else ""),
        months=sum(said.get(u, 0) * UNIT_MONTHS[u] for u in ("year", "month")),
        days=7 * said.get("week", 0) + said.get("day", 0),
        seconds=sum(said.get(u, 0) * UNIT_SECONDS[u] for u in ("hour", "minute", "second")),
    )


# --- times of day -------------------------------------------------------------------------------------------


def make_clock(hour: int, minute: int, second: int | None = None, sure: bool = False) -> Clock | Impossible:
    """A time of day; 24:00 is the midnight after the day, everything else past 23:59:59 impossible."""
    if hour == 24 and not minute and not second:
        return Clock(0, 0, second, sure=True, days=1)
    if hour > 23 or minute > 59 or (second or 0) > 59:
        return Impossible(days=False)
    return Clock(hour, minute, second, sure=sure or hour > 12 or hour == 0)


_LATE_HOURS = range(1, 6)
"""Said for another day, 1 to 5 o'clock is meant for the afternoon; 6 to 12 as said."""


def waking_time(clock: Clock) -> time:
    """The time meant on a day that is not today."""
    if clock.sure or clock.hour > 12 or clock.hour == 0:
        return clock.at(clock.hour)
    return clock.at(clock.hour + 12 if clock.hour in _LATE_HOURS else clock.hour)


def next_time(clock: Clock, now: datetime) -> tuple[time, bool]:
    """The time meant today, and whether it is only tomorrow: "at 7" said at 9 in the morning is 19:00."""
    for hour in clock.hours():
        if clock.at(hour) > now.time():
            return clock.at(hour), False
    return waking_time(clock), True


def iso_time(clock: Clock, at: time) -> str:
    return at.strftime("%H:%M:%S" if clock.second is not None else "%H:%M")
