"""What time expressions mean, and the calendar arithmetic that makes dates of them.

Pure values and functions on them: no text, no tokens, no clock of the machine. ``today``
is always handed in. Weekdays are 0 (Monday) to 6.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
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
    """A date with a time, written in digits; ``zone`` is "", "Z" or "+02:00"; ``text`` as written."""

    day: date
    clock: time
    zone: str
    text: str


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rhythm without a day of its own: "daily", "every 3 minutes". ``duration``: its step, if it was said."""

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

# --- days ---------------------------------------------------------------------------------------------------


def make_date(year: int, month: int, day: int) -> date | None:
    """The day, or None if the calendar has none such."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def shift_days(day: date, days: int) -> tuple[date, ...]:
    try:
        return (day + timedelta(days=days),)
    except OverflowError:
        return ()


def shift_months(day: date, months: int) -> tuple[date, ...]:
    """The same day so many months on; the month's last day where it has no such day."""
    year, month0 = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return ()
    return (date(year, month0 + 1, min(day.day, monthrange(year, month0 + 1)[1])),)


def fixed(day: date) -> Day:
    return Day(lambda today: (day,), absolute=True)


def in_days(days: int, part: Part | None = None) -> Day:
    return Day(lambda today: shift_days(today, days), part=part)


def later(duration: Duration, sign: int, anchor: Day | None = None) -> Day:
    """The day so far from today, or from ``anchor``."""

    def rule(today: date) -> tuple[date, ...]:
        starts = anchor.rule(today) if anchor else (today,)
        months = [d for start in starts for d in shift_months(start, sign * duration.months)]
        return tuple(d for start in months for d in shift_days(start, sign * duration.days))

    return Day(rule, absolute=anchor.absolute if anchor else False)


def coming_weekday(weekday: int) -> Day:
    """The first such day after today."""
    return Day(lambda today: shift_days(today, (weekday - today.weekday() - 1) % 7 + 1))


def last_weekday(weekday: int) -> Day:
    """The last such day before today."""
    return Day(lambda today: shift_days(today, -((today.weekday() - weekday - 1) % 7 + 1)))


def this_weekday(weekday: int) -> Day:
    """Such a day from today on, at most six days away."""
    return Day(lambda today: shift_days(today, (weekday - today.weekday()) % 7))


def weekday_of_week(weekday: int, weeks: int) -> Day:
    """Such a day of the week (from Monday) that lies ``weeks`` after the present one."""
    return Day(lambda today: shift_days(today, weekday - today.weekday() + 7 * weeks))


def week(weeks: int) -> Day:
    """A week named as a day: its Monday; else the same day in that week."""
    return Day(lambda today: shift_days(today, 7 * weeks - today.weekday()) + shift_days(today, 7 * weeks))


def month(months: int) -> Day:
    """A month named as a day: its first day; else the same day in that month."""

    def rule(today: date) -> tuple[date, ...]:
        return tuple(d.replace(day=1) for d in shift_months(today, months)) + shift_months(today, months)

    return Day(rule)


def weekend(weeks: int) -> Day:
    """Saturday, else Sunday; on a Sunday the weekend of this week is that Sunday."""

    def rule(today: date) -> tuple[date, ...]:
        saturday = 5 - today.weekday() + 7 * weeks
        days = shift_days(today, saturday) + shift_days(today, saturday + 1)
        return tuple(day for day in days if weeks or day >= today)

    return Day(rule)


def yearly(month_number: int, day: int) -> Day | Impossible:
    """A day of the year: the next one, today included."""
    if make_date(2024, month_number, day) is None:
        return Impossible()

    def rule(today: date) -> tuple[date, ...]:
        for year in range(today.year, min(today.year + 9, 10000)):
            found = make_date(year, month_number, day)
            if found is not None and found >= today:
                return (found,)
        return ()

    return Day(rule)


def of_year(month_number: int, day: int, years: int) -> Day | Impossible:
    """A day of this year (0), the next (1) or the last (-1)."""
    if make_date(2024, month_number, day) is None:
        return Impossible()

    def rule(today: date) -> tuple[date, ...]:
        found = make_date(today.year + years, month_number, day)
        return (found,) if found else ()

    return Day(rule)


def monthly(day: int) -> Day | Impossible:
    """A day of the month: the next one, today included."""
    if not 1 <= day <= 31:
        return Impossible()

    def rule(today: date) -> tuple[date, ...]:
        for months in range(13):
            for first in shift_months(today.replace(day=1), months):
                found = make_date(first.year, first.month, day)
                if found is not None and found >= today:
                    return (found,)
        return ()

    return Day(rule)


def day_of_month(day: int, months: int) -> Day | Impossible:
    """A day of the month that lies ``months`` after the present one; ``day`` 0: its last."""
    if not 0 <= day <= 31:
        return Impossible()

    def rule(today: date) -> tuple[date, ...]:
        for first in shift_months(today.replace(day=1), months):
            found = make_date(first.year, first.month, day or monthrange(first.year, first.month)[1])
            return (found,) if found else ()
        return ()

    return Day(rule)


def nth_weekday(nth: int, weekday: int, month_rule: DayRule, absolute: bool = False) -> Day:
    """The ``nth`` such weekday of the month of the day that ``month_rule`` gives; -1: the last."""

    def rule(today: date) -> tuple[date, ...]:
        for first in month_rule(today):
            length = monthrange(first.year, first.month)[1]
            days = [d for d in range(1, length + 1) if date(first.year, first.month, d).weekday() == weekday]
            if -1 <= nth <= len(days) and nth:
                return (date(first.year, first.month, days[nth - 1 if nth > 0 else -1]),)
        return ()

    return Day(rule, absolute=absolute)


def only_weekday(day: Day, weekday: int) -> Day:
    """``day`` if it falls on the weekday said with it; else nothing: one of the two was a slip."""
    return Day(lambda today: tuple(d for d in day.rule(today) if d.weekday() == weekday), absolute=day.absolute)


def weekday_the(weekday: int, day: int) -> Day | Impossible:
    """Friday the 13th: the next month in which that day falls on that weekday."""
    if not 1 <= day <= 31:
        return Impossible()

    def rule(today: date) -> tuple[date, ...]:
        for months in range(60):
            for first in shift_months(today.replace(day=1), months):
                found = make_date(first.year, first.month, day)
                if found is not None and found >= today and found.weekday() == weekday:
                    return (found,)
        return ()

    return Day(rule)


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


def shift_moment(now: datetime, duration: Duration, sign: int) -> datetime | None:
    """``now`` moved by the duration: days on the calendar, hours on the time line (zones may change)."""
    for day in later(duration, sign).rule(now.date()):
        try:
            moved = datetime.combine(day, now.timetz())
            delta = timedelta(seconds=sign * duration.seconds)
            if moved.tzinfo is None:
                return moved + delta
            return (moved.astimezone(timezone.utc) + delta).astimezone(moved.tzinfo)
        except (OverflowError, ValueError):
            return None
    return None


# --- times of day -------------------------------------------------------------------------------------------

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
