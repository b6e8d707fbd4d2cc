"""Rhythms as RRULE text (RFC 5545, without the prefix), with the day on which they begin."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from constrained_du.recognizers.calendar import Day, Impossible, Recurrence, make_duration
from constrained_du.recognizers.named_days import monthly, shift_days, yearly

BYDAY = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCY = {
    "second": "SECONDLY", "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY", "week": "WEEKLY",
    "month": "MONTHLY", "year": "YEARLY",
}  # fmt: skip


def _step(interval: int) -> str:
    return f";INTERVAL={interval}" if interval > 1 else ""


def every(weekdays: tuple[int, ...], interval: int = 1) -> Day:
    """Every ``interval`` weeks on these weekdays; the day is the first of them, today included."""

    def rule(today: date) -> tuple[date, ...]:
        ahead = (day for n in range(7) for day in shift_days(today, n))
        return tuple(day for day in ahead if day.weekday() in weekdays)[:1]

    names = ",".join(BYDAY[day] for day in sorted(set(weekdays)))
    return Day(rule, recurring=f"FREQ=WEEKLY{_step(interval)};BYDAY={names}")


def every_unit(unit: str, interval: int = 1) -> Recurrence | None:
    """Every so many units; None for units without a frequency of their own."""
    if unit == "fortnight":
        unit, interval = "week", 2 * interval
    if unit not in _FREQUENCY:
        return None
    return Recurrence(f"FREQ={_FREQUENCY[unit]}{_step(interval)}", make_duration([(Fraction(interval), unit)]))


def every_month(day: int) -> Day | Impossible:
    found = monthly(day)
    if isinstance(found, Impossible):
        return found
    return Day(found.rule, recurring=f"FREQ=MONTHLY;BYMONTHDAY={day}")


def every_year(month: int, day: int) -> Day | Impossible:
    found = yearly(month, day)
    if isinstance(found, Impossible):
        return found
    return Day(found.rule, recurring=f"FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={day}")
