"""The English rules for days: which sequences of tokens name one."""

from __future__ import annotations

from constrained_du.recognizers import calendar as cal
from constrained_du.recognizers import named_days
from constrained_du.recognizers.amounts_en import AMOUNT, read_amount
from constrained_du.recognizers.calendar import Day, Impossible, Offset
from constrained_du.recognizers.iso_moments import read_moment
from constrained_du.recognizers.time_grammar import Built, Groups, Rule, closed, rule
from constrained_du.recognizers.time_tokens import Token


def _day_in_month(groups: Groups) -> Built:
    """March 3rd, 2026 · the 3rd of March · Tuesday, 18 December 2018."""
    month, day = groups["m"], groups["d"]
    if not isinstance(day.value, int) or (
        day.text.isalpha() and day.cls == "NUM" and not day.digits and day.value > 31
    ):
        return None
    if month.text in ("may", "march", "mar") and day.cls == "NUM" and not groups.get("y") and not closed(groups):
        return None
    year = groups.get("y")
    found = _dated(int(month.value), day.value, year)
    weekday = groups.get("w")
    return named_days.only_weekday(found, weekday.value) if weekday and isinstance(found, Day) else found


def _dated(month: int, day: int, year: Token | None) -> Day | Impossible:
    if year is None:
        return named_days.yearly(month, day)
    date = named_days.make_date(year.value, month, day) if 1000 <= year.value <= 9999 else None
    return named_days.fixed(date) if date else Impossible()


def _days_in_month(groups: Groups) -> Built:
    """March 3 to 5 · 3-5 March · the 3rd to the 5th of March."""
    first = _dated(int(groups["m"].value), groups["a"].value, groups.get("y"))
    last = _dated(int(groups["m"].value), groups["b"].value, groups.get("y"))
    if isinstance(first, Impossible) or isinstance(last, Impossible) or groups["b"].value > 31:
        return Impossible()
    after = groups.after
    if after is not None and after.cls in ("AMPM", "OCLOCK", "MEASURE"):
        return None
    return [("p", first), ("q", last)]


def _is_year(token: Token | None) -> bool:
    return token is None or 1000 <= token.value <= 9999


def _month_day_year(groups: Groups) -> Built:
    """Rejects "March 3 20 people": what is no year leaves the rule to its shorter form."""
    return _day_in_month(groups) if _is_year(groups.get("y")) else None


def _weekday(groups: Groups) -> Built:
    """Friday · next Friday · Friday next week · Friday week is left alone."""
    weekday, which = int(groups["w"].value), groups.get("r")
    if groups["w"].cls == "SHORTDAY" and which is None and groups.get("o") is None:
        return None
    if which is None or which.cls == "COMING":
        return named_days.coming_weekday(weekday)
    if which.cls == "LAST":
        return named_days.last_weekday(weekday)
    return named_days.weekday_of_week(weekday, 1) if which.cls == "NEXT" else named_days.this_weekday(weekday)


def _short_weekday(groups: Groups) -> Built:
    """Sat, 7pm. Elsewhere "sat" and "sun" are other words."""
    return named_days.coming_weekday(int(groups["o"].value))


def _opening_weekday(groups: Groups) -> Built:
    """Sat at 7, as the first word."""
    return _short_weekday(groups) if groups.before is None else None


def _weekday_in_week(groups: Groups) -> Built:
    if groups["u"].value != "week":
        return None
    return named_days.weekday_of_week(int(groups["w"].value), {"NEXT": 1, "THIS": 0, "LAST": -1}[groups["r"].cls])


def _ordinal_day(groups: Groups) -> Built:
    """the 5th · on the fifth · the 5th of this month · Friday the 13th."""
    day = groups["d"]
    unit, which = groups.get("u"), groups.get("r")
    if unit is not None and unit.value != "month":
        return None
    if weekday := groups.get("w"):
        return named_days.weekday_the(int(weekday.value), day.value)
    if unit is not None:
        months = {"NEXT": 1, "LAST": -1}.get(which.cls, 0) if which else None
        return named_days.monthly(day.value) if months is None else named_days.day_of_month(day.value, months)
    before = groups.before
    said = day.digits or (before is not None and before.cls in ("ON", "UNTIL", "BEFORE", "AT") and day.cls == "ORD")
    return named_days.monthly(day.value) if said and closed(groups) else None


def _day_after(groups: Groups) -> Built:
    sign = 1 if groups["s"].cls == "AFTER" else -1
    if groups["u"].value != "day" or (sign > 0) != (groups["r"].value > 0):
        return None
    return named_days.in_days(groups["r"].value + sign)


def _anchored(groups: Groups) -> Built:
    """a week from tomorrow · two days after Friday · three weeks from now."""
    duration = read_amount(groups.tokens("amount"))
    if duration is None:
        return None
    anchor = groups["t"]
    if anchor.cls == "NOW":
        return offset_of(duration, 1)
    if duration.seconds:
        return None
    sign = -1 if groups["s"].cls == "BEFORE" else 1
    start = named_days.in_days(anchor.value) if anchor.cls == "REL" else named_days.coming_weekday(anchor.value)
    return named_days.later(duration, sign, start)


def _week_on(groups: Groups) -> Built:
    """a week on Friday · Friday week."""
    if groups["u"].text != "week":
        return None
    start = named_days.coming_weekday(int(groups["w"].value))
    return Day(lambda today: tuple(later for day in start.rule(today) for later in named_days.shift_days(day, 7)))


def offset_of(duration: cal.Duration | None, sign: int) -> Built:
    return None if duration is None else Offset(duration, sign)


def _next_unit(groups: Groups) -> Built:
    """next week · next month · next year."""
    step = 1 if groups["r"].cls == "NEXT" else -1
    unit = groups["u"].value
    if groups.before is not None and groups.before.cls == "THE":
        return None
    return {"week": named_days.week(step), "month": named_days.month(step)}.get(str(unit))


def _weekend(groups: Groups) -> Built:
    which = groups.get("r")
    return named_days.weekend({"NEXT": 1, "LAST": -1}.get(which.cls, 0) if which else 0)


def _nth_weekday(groups: Groups) -> Built:
    """the first Monday of October · the last Friday of the month."""
    nth = -1 if groups["n"].cls == "LAST" else int(groups["n"].value)
    weekday = int(groups["w"].value)
    if nth > 5:
        return None
    if month := groups.get("m"):
        year = groups.get("y")
        if year is not None:
            first = named_days.make_date(year.value, month.value, 1) if _is_year(year) else None
            return named_days.nth_weekday(nth, weekday, named_days.fixed(first).rule, absolute=True) if first else None
        months = named_days.yearly(month.value, 28)
        return named_days.nth_weekday(nth, weekday, months.rule) if isinstance(months, Day) else None
    if groups["u"].value != "month":
        return None
    which = groups.get("r")
    steps = 1 if which is not None and which.cls == "NEXT" else 0
    return named_days.nth_weekday(nth, weekday, lambda today: named_days.shift_months(today, steps))


def _end_of_month(groups: Groups) -> Built:
    if groups["u"].value != "month":
        return None
    which = groups.get("r")
    return named_days.day_of_month(0, 1 if which is not None and which.cls == "NEXT" else 0)


def _holiday(groups: Groups) -> Built:
    month, day = groups["h"].value
    year = groups.get("y")
    return _dated(month, day, year) if _is_year(year) else None


def _written_date(groups: Groups) -> Built:
    """2026-03-14 · 14.03.2026 · 3/14/2026 · Tue, 3/14/2026."""
    return named_days.fixed(groups["d"].value) if groups["d"].value else Impossible()


def _written_month_day(groups: Groups) -> Built:
    """3/14. A number said before or a measure after it makes it a fraction (2 1/2, 3/4 cup)."""
    before, after = groups.before, groups.after
    if (before is not None and before.cls == "NUM") or (
        after is not None and after.cls in ("OTHER", "MEASURE", "UNIT")
    ):
        return None
    return named_days.yearly(*groups["d"].value)


def _this_part(groups: Groups) -> Built:
    """tonight · this evening · last night."""
    if tonight := groups.get("t"):
        return Day(named_days.in_days(tonight.value).rule, part=cal.NIGHT)
    days = -1 if groups["r"].cls == "LAST" else 0
    return Day(named_days.in_days(days).rule, part=groups["p"].value)


_YEAR = "(?:COMMA? (?P<y>NUM))"
_TO = "(?:TO|AND|UNTIL|OR)"
_NTH = "THE? (?P<n>ORD|SECOND|LAST)"
_MAYBE_WEEKDAY = "(?:(?P<w>WEEKDAY|SHORTDAY) COMMA?)?"
DAY_RULES: tuple[Rule, ...] = (
    rule(f"{_MAYBE_WEEKDAY} THE? (?P<m>MONTH) THE? (?P<d>ORD|SECOND|NUM) {_YEAR}", _month_day_year),
    rule(f"{_MAYBE_WEEKDAY} (?P<m>MONTH) THE? (?P<d>ORD|SECOND|NUM)", _day_in_month),
    rule(f"{_MAYBE_WEEKDAY} THE? (?P<d>ORD|SECOND|NUM) (?:DAY)? OF? (?P<m>MONTH) {_YEAR}", _month_day_year),
    rule(f"{_MAYBE_WEEKDAY} THE? (?P<d>ORD|SECOND|NUM) OF? (?P<m>MONTH)", _day_in_month),
    rule(f"(?P<p>(?P<m>MONTH) THE? (?P<a>ORD|NUM)) {_TO} (?P<q>THE? (?P<b>ORD|NUM)(?:COMMA (?P<y>NUM))?)",
         _days_in_month),
    rule(f"(?P<p>THE? (?P<a>ORD|NUM)) {_TO} (?P<q>THE? (?P<b>ORD|NUM) OF? (?P<m>MONTH) {_YEAR}?)",
         _days_in_month),
    rule("(?P<r>NEXT|THIS|LAST|COMING) (?P<w>WEEKDAY|SHORTDAY)", _weekday),
    rule("(?P<w>WEEKDAY)", _weekday),
    rule("(?P<o>ON) (?P<core>(?P<w>SHORTDAY))(?!COMMA? (?:THE|ORD|NUM|MONTH))", _weekday),
    rule("(?P<o>SHORTDAY)(?=COMMA? AT? (?:HM|NUM (?:AMPM|OCLOCK)))", _short_weekday),
    rule("(?P<o>SHORTDAY)(?=AT NUM|$)", _opening_weekday),
    rule("(?P<w>WEEKDAY) OF? (?P<r>NEXT|THIS|LAST) (?P<u>UNIT)", _weekday_in_week),
    rule("(?P<r>NEXT|THIS|LAST) (?P<u>UNIT) ON? (?P<w>WEEKDAY)", _weekday_in_week),
    rule("(?P<w>WEEKDAY) COMMA? THE (?P<d>ORD|SECOND)", _ordinal_day),
    rule("THE (?P<d>ORD|SECOND)", _ordinal_day),
    rule("(?:ON|FOR) (?P<core>(?P<d>ORD))(?!OF|MONTH)", _ordinal_day),
    rule("THE? (?P<d>ORD|SECOND) OF (?:THE|(?P<r>THIS|NEXT|LAST)) (?P<u>UNIT)", _ordinal_day),
    rule("(?P<r>REL)", lambda groups: named_days.in_days(groups["r"].value)),
    rule("THE? (?P<u>UNIT) (?P<s>AFTER|BEFORE) (?P<r>REL)", _day_after),
    rule("(?P<amount>A (?P<u>UNIT)) ON (?P<w>WEEKDAY)", _week_on),
    rule("(?P<w>WEEKDAY) (?P<u>UNIT)", _week_on),
    rule(f"(?P<amount>{AMOUNT}) (?P<s>FROM|AFTER|BEFORE) (?P<t>REL|NOW|WEEKDAY)", _anchored),
    rule("(?P<r>NEXT|LAST) (?P<u>UNIT)", _next_unit),
    rule("(?:THE|(?P<r>THIS|NEXT|LAST|COMING))? WEEKEND", _weekend),
    rule(f"{_NTH} (?P<w>WEEKDAY) (?:OF|IN) (?P<m>MONTH) (?P<y>NUM)?", _nth_weekday),
    rule(f"{_NTH} (?P<w>WEEKDAY) (?:OF|IN) (?:THE|(?P<r>THIS|NEXT)) (?P<u>UNIT)", _nth_weekday),
    rule("THE? END OF (?:THE|(?P<r>THIS|NEXT)) (?P<u>UNIT)", _end_of_month),
    rule(f"(?P<h>HOLIDAY) {_YEAR}?", _holiday),
    rule("(?P<h>HOLIDAY)", _holiday),
    rule("(?:(?:WEEKDAY|SHORTDAY) COMMA?)? (?P<d>DATE)", _written_date),
    rule("(?:(?:WEEKDAY|SHORTDAY) COMMA?)? (?P<d>MD)", _written_month_day),
    rule("(?P<t>ISO)", lambda groups: read_moment(groups["t"].text)),
    rule("(?P<t>TONIGHT)|(?P<r>THIS|LAST) (?P<p>PART)", _this_part),
)  # fmt: skip
