"""The calendar arithmetic behind the names of days: "next Tuesday", "the 5th", "in two weeks".

Each name becomes a ``Day``, whose rule gives the dates once ``today`` is handed in. Weekdays
are 0 (Monday) to 6. Knows no words and no clock of the machine.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta, timezone

from constrained_du.recognizers.calendar import Day, DayRule, Duration, Impossible, Part


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


def end_of(month_number: int) -> Day | Impossible:
    """The last day of a month of the year: the next one, today included."""
    if not 1 <= month_number <= 12:
        return Impossible()

    def rule(today: date) -> tuple[date, ...]:
        year = today.year + (month_number < today.month)
        return (date(year, month_number, monthrange(year, month_number)[1]),) if year <= 9999 else ()

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
