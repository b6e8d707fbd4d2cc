"""The Chinese and Japanese rules: which sequences of tokens say a day, a time, a length or a rhythm."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from constrained_du.recognizers import calendar as cal
from constrained_du.recognizers import named_days
from constrained_du.recognizers.calendar import (
    Clock,
    Day,
    Duration,
    Impossible,
    Offset,
    make_clock,
    make_duration,
)
from constrained_du.recognizers.recurring import every, every_month, every_unit, every_year
from constrained_du.recognizers.time_grammar import Built, Groups, Rule, rule
from constrained_du.recognizers.time_tokens import Token

_HALF = Fraction(1, 2)
_BEFORE_REIWA = 2018
"""The first year of Reiwa, Japan's era, was 2019."""

# --- days ---------------------------------------------------------------------------------------------------


def _dated(groups: Groups) -> Built:
    """3月5日 · 2026年3月5日 · 明年3月5号 · 3月5日(火)."""
    month, day = groups["m"].value, groups["d"].value
    if not isinstance(month, int) or not isinstance(day, int):
        return None
    found = _of_year(groups, month, day)
    weekday = groups.get("w")
    return named_days.only_weekday(found, weekday.value) if weekday and isinstance(found, Day) else found


def _of_year(groups: Groups, month: int, day: int) -> Day | Impossible:
    if year := groups.get("y"):
        number = year.value + (_BEFORE_REIWA if groups.get("era") else 0)
        date = named_days.make_date(number, month, day) if 1000 <= number <= 9999 else None
        return named_days.fixed(date) if date else Impossible()
    reference = groups.get("yr")
    return named_days.of_year(month, day, reference.value) if reference else named_days.yearly(month, day)


def _dated_range(groups: Groups) -> Built:
    """3月3日到5日 · 3月3号至5号."""
    first = _of_year(groups, groups["m"].value, groups["a"].value)
    last = _of_year(groups, groups["m"].value, groups["b"].value)
    if isinstance(first, Impossible) or isinstance(last, Impossible):
        return Impossible()
    return [("p", first), ("q", last)]


def _day_number(groups: Groups) -> Built:
    """5号 · 5日 · 下个月5号 · 来月の5日. "5号线" is a line, 第5日 counts, 5日前 is a length."""
    day, before, after = groups["d"].value, groups.before, groups.after
    if after is not None and (after.cls in ("CVETO", "CAFTER", "CBEFORE", "CEACH") or after.text in ("後", "以", "内")):
        return None
    if before is not None and before.text in ("第", "#"):
        return None
    if reference := groups.get("r"):
        return named_days.day_of_month(day, reference.value) if day else Impossible()
    return named_days.monthly(day)


def _weekday(groups: Groups) -> Built:
    """周五 · 这周五 · 下周二 · 来週の火曜日."""
    weekday, week = int(groups["w"].value), groups.get("r")
    return named_days.coming_weekday(weekday) if week is None else named_days.weekday_of_week(weekday, week.value)


def _month_end(groups: Groups) -> Built:
    reference = groups.get("r")
    before = groups.before
    if before is not None and before.cls == "NUM":
        return None
    return named_days.day_of_month(0, reference.value if reference else 0)


def _end_of_named_month(groups: Groups) -> Built:
    """八月末 · 3月底."""
    month = groups["m"].value
    return named_days.end_of(month) if isinstance(month, int) else None


def _nth_weekday(groups: Groups) -> Built:
    """来月の第一月曜日 · 10月第2个星期二."""
    nth, weekday = groups["n"].value, int(groups["w"].value)
    if not 1 <= nth <= 5:
        return None
    if reference := groups.get("r"):
        steps = int(reference.value)
        return named_days.nth_weekday(nth, weekday, lambda today: named_days.shift_months(today, steps))
    months = named_days.yearly(groups["m"].value, 28)
    return named_days.nth_weekday(nth, weekday, months.rule) if isinstance(months, Day) else None


def _week(groups: Groups) -> Built:
    """下周 · 来週; 今週 names no day."""
    return named_days.week(groups["r"].value) if groups["r"].value else None


def _month(groups: Groups) -> Built:
    return named_days.month(groups["r"].value) if groups["r"].value else None


def _day_part(groups: Groups) -> Built:
    days, part = groups["d"].value
    return Day(named_days.in_days(days).rule, part=part)


_YEAR = "(?:(?P<era>CERA)? (?P<y>NUM) CYEAR NO?|(?P<yr>CYEARREF) NO?)?"
_DAY_RULES = (
    rule(f"{_YEAR} (?P<m>NUM) CMONTH NO? (?P<d>NUM) CDAY", _dated),
    rule(f"{_YEAR} (?P<m>NUM) CMONTH NO? (?P<d>NUM) CDAY (?:FUNC? (?P<w>WEEKDAY) FUNC?)", _dated),
    rule(f"(?P<p>{_YEAR} (?P<m>NUM) CMONTH (?P<a>NUM) CDAY?) TO (?P<q>(?P<b>NUM) CDAY)", _dated_range),
    rule("(?P<core>(?:(?P<r>CMONTHREF) NO?)? (?P<d>NUM) CDAY)", _day_number),
    rule("(?P<d>REL)", lambda groups: named_days.in_days(groups["d"].value)),
    rule("(?P<d>DAYPART)", _day_part),
    rule("(?:(?P<r>CWEEK) NO?)? (?P<w>WEEKDAY)", _weekday),
    rule("(?P<r>CWEEK)", _week),
    rule("(?P<r>CMONTHREF)", _month),
    rule("(?:(?P<r>CMONTHREF) NO?)? CEND", _month_end),
    rule("(?P<m>NUM) CEND", _end_of_named_month),
    rule("(?:(?P<r>CMONTHREF)|(?P<m>NUM) CMONTH) NO? CNTH (?P<n>NUM) CPIECE? (?P<w>WEEKDAY)", _nth_weekday),
    rule("(?P<r>CWEEKEND) NO? (?P<w>WEEKDAY)", _weekday),
    rule("(?P<r>CWEEKEND)", lambda groups: named_days.weekend(groups["r"].value)),
    rule("(?P<h>CHOLIDAY)", lambda groups: named_days.yearly(*groups["h"].value)),
)


# --- times of day -------------------------------------------------------------------------------------------


def _clock(groups: Groups) -> Built:
    """3点 · 三点半 · 3時30分15秒 · 十点零五 · 三点一刻 · 8時5分前."""
    hour = groups["h"]
    minute, second, quarter = groups.get("n"), groups.get("s"), groups.get("q")
    if hour.value == 1 and hour.text == "一" and not _is_sure_of_one(groups):
        return None
    if not isinstance(hour.value, int) or _is_fraction(groups) or _opens_fraction(groups):
        return None
    minutes = minute.value if minute else 30 if groups.get("half") else 15 * quarter.value if quarter else 0
    if minutes > 59 and not minute:
        return None
    clock = make_clock(hour.value, minutes, second.value if second else None)
    return _earlier(clock, groups)


def _is_sure_of_one(groups: Groups) -> bool:
    """一点 is "a little" unless something of time stands beside it."""
    if len(groups.tokens("core")) > 2 or groups["u"].text in ("点钟", "點鐘", "時", "时"):
        return True
    beside = {"REL", "PART", "WEEKDAY", "DAYPART", "AT", "TO", "CDAY", "CDAILY", "OR"}
    before, after = groups.before, groups.after
    return (before is not None and before.cls in beside) or (after is not None and after.cls in ("TO", "CHALF"))


def _is_fraction(groups: Groups) -> bool:
    """二十三点五度 is 23.5: one digit behind 点 and no 分."""
    minute = groups.get("n")
    return minute is not None and groups.get("m") is None and 0 < minute.value < 10 and len(minute.text) == 1


def _opens_fraction(groups: Groups) -> bool:
    """The 二十三点 of 二十三点五度, which the clock must not take for itself."""
    digit, behind = groups.after, groups.ahead(1)
    if digit is None or digit.cls != "NUM" or digit.digits or len(digit.text) != 1 or groups["h"].digits:
        return False
    return len(groups.tokens("core")) == 2 and (behind is None or behind.cls not in _COUNTED)


_COUNTED = frozenset(("CHOUR CUNIT CMIN CPIECE CHALFPIECE CMONTH CDAY CYEAR CSEC CQUARTER CQUARTERS").split())


def _earlier(clock: Clock | Impossible, groups: Groups) -> Built:
    """8時5分前 is 7:55."""
    if groups.get("b") is None or isinstance(clock, Impossible):
        return clock
    return _minutes_before(clock.hour, clock.minute)


def _minutes_before(hour: int, minutes: int) -> Clock | Impossible:
    total = (hour * 60 - minutes) % (1440 if hour > 12 else 720)
    return make_clock(total // 60 or (0 if hour > 12 else 12), total % 60)


def _lacking(groups: Groups) -> Built:
    """差五分八点 · 八点差一刻."""
    hour, minutes = groups["h"].value, groups["n"].value
    if groups["k"].cls != "CMIN":
        minutes *= 15
    return _minutes_before(hour, minutes) if 1 <= hour <= 24 and 0 < minutes < 60 else None


_HOUR = "(?P<h>NUM) (?P<u>CHOUR) (?:CEXACT)?"
_CLOCK_RULES = (
    rule(f"(?P<core>{_HOUR})", _clock),
    rule(f"(?P<core>{_HOUR} (?P<half>CHALF))", _clock),
    rule(f"(?P<core>{_HOUR} (?P<q>NUM) CQUARTERS?)".replace("CQUARTERS?", "(?:CQUARTER|CQUARTERS)"), _clock),
    rule(f"(?P<core>{_HOUR} (?P<n>NUM) (?P<m>CMIN) (?:(?P<s>NUM) CSEC)? CEXACT?)", _clock),
    rule(f"(?P<core>{_HOUR} (?P<n>NUM) (?P<m>CMIN) (?P<b>CBEFORE))", _clock),
    rule(f"(?P<core>{_HOUR} (?P<n>NUM))(?!CHOUR|CUNIT|CMIN|CPIECE|CHALFPIECE|CMONTH|CDAY|CYEAR)", _clock),
    rule("CMINUS (?P<n>NUM) (?P<k>CMIN|CQUARTER) (?P<h>NUM) CHOUR", _lacking),
    rule("(?P<h>NUM) CHOUR CMINUS (?P<n>NUM) (?P<k>CMIN|CQUARTER)", _lacking),
)


# --- lengths and rhythms ------------------------------------------------------------------------------------

_UNIT = "(?:CUNIT|CMIN|CSEC|CYEAR|CQUARTERS)"
_ONE = f"(?:(?:NUM|DEC) CPIECE? {_UNIT} CHALF?|(?:NUM|DEC) CHALFPIECE {_UNIT}|CHALF CPIECE? {_UNIT})"
AMOUNT = f"(?:{_ONE}(?:{_ONE}){{0,4}})"
_WRITTEN_UNIT = {"CMIN": "minute", "CSEC": "second", "CYEAR": "year", "CQUARTERS": "quarter"}


def read_amount(tokens: Sequence[Token]) -> Duration | None:
    """The length said by the tokens of AMOUNT: 两个半小时 · 2時間30分 · 半年 · 三刻钟."""
    amounts: list[tuple[Fraction, str]] = []
    value = Fraction(0)
    for index, token in enumerate(tokens):
        if token.cls in ("NUM", "DEC"):
            value = Fraction(token.value)
        elif token.cls == "CHALFPIECE":
            value += _HALF
        elif token.cls == "CHALF":
            if index and tokens[index - 1].cls not in ("NUM", "CPIECE"):
                amounts[-1] = (amounts[-1][0] + _HALF, amounts[-1][1])
            else:
                value = _HALF
        elif token.cls != "CPIECE":
            amounts.append((value, _WRITTEN_UNIT.get(token.cls) or str(token.value)))
    amounts = [(a * 15, "minute") if unit == "quarter" else (a, unit) for a, unit in amounts]
    return make_duration(amounts)


def _is_year_number(groups: Groups) -> bool:
    tokens = groups.tokens()
    return any(t.cls == "CYEAR" and i and _is_large(tokens[i - 1]) for i, t in enumerate(tokens))


def _is_large(token: Token) -> bool:
    return token.cls == "NUM" and token.value >= 1000


def _duration(groups: Groups) -> Built:
    """三十分钟 · 2時間. 2026年 is a year, 三天前 is a day."""
    before = groups.before
    if _is_year_number(groups) or (before is not None and before.text in ("第", "-", "−")):
        return None
    return read_amount(groups.tokens())


def _offset(groups: Groups) -> Built:
    """30分後 · 三天后 · 2週間前 · 过两天 · 从现在起七周后."""
    if _is_year_number(groups):
        return None
    duration = read_amount(groups.tokens("amount"))
    past = groups.get("s")
    return None if duration is None else Offset(duration, -1 if past is not None and past.cls == "CBEFORE" else 1)


def _days_offset(groups: Groups) -> Built:
    """3日後 · 5日前."""
    count = groups["n"].value
    if not 0 < count < 10000:
        return None
    duration = make_duration([(Fraction(count), "day")])
    return Offset(duration, -1 if groups["s"].cls == "CBEFORE" else 1) if duration else None


def _days_left(groups: Groups) -> Built:
    """あと三日."""
    return make_duration([(Fraction(groups["n"].value), "day")]) if groups.tokens()[0].text == "あと" else None


def _durations(groups: Groups) -> Built:
    """5到10分钟 · 2〜3時間."""
    unit = groups.tokens("q")[-1]
    first, last = read_amount([groups["a"], unit]), read_amount(groups.tokens("q"))
    return [("a", first), ("q", last)] if first and last and not _is_year_number(groups) else None


def _every_amount(groups: Groups) -> Built:
    """每3分钟 · 3分ごと · 每两周 · 每隔一天."""
    tokens = groups.tokens("amount")
    unit = _WRITTEN_UNIT.get(tokens[-1].cls) or str(tokens[-1].value)
    count = tokens[0].value if tokens[0].cls == "NUM" else 1
    mark = groups["e"].text
    if mark in ("每隔", "おき", "おきに") and unit in ("day", "week", "month", "year"):
        count += 1
    if unit == "quarter":
        unit, count = "minute", 15 * count
    return every_unit(unit, int(count)) if 1 <= count <= 10000 else None


def _every_days(groups: Groups) -> Built:
    """1日おき · 3日ごと."""
    count = groups["n"].value + (1 if groups["e"].text.startswith("おき") else 0)
    return every_unit("day", count) if 1 <= count <= 10000 else None


def _every_part(groups: Groups) -> Built:
    """毎朝 · 每晚: one word. In 每天早上 the morning belongs to the time that follows."""
    return cal.Recurrence("FREQ=DAILY", part=groups["p"].value) if len(groups["c"].text) == 1 else None


def _half_day(groups: Groups) -> Built:
    return make_duration([(_HALF, "day")]) if groups["u"].text == "日" else None


def _yearly(groups: Groups) -> Built:
    return every_year(groups["m"].value, groups["d"].value)


def _weekly(groups: Groups) -> Built:
    days = tuple(int(token.value) for token in groups.tokens() if token.cls == "WEEKDAY")
    return every(days) if days else None


_RHYTHM_RULES = (
    rule(f"(?:CFROMNOW|CPASS)? (?P<amount>{AMOUNT}) (?P<s>CAFTER|CBEFORE)", _offset),
    rule(f"(?:CFROMNOW|CPASS) (?P<amount>{AMOUNT})(?!CBEFORE)",
         lambda groups: None if groups.tokens()[0].text == "あと" else _offset(groups)),
    rule("CPASS (?P<core>(?P<n>NUM) CDAY)(?!CAFTER|CBEFORE)", _days_left),
    rule("(?P<n>NUM) CDAY (?P<s>CAFTER|CBEFORE)", _days_offset),
    rule(f"(?P<amount>{AMOUNT})", _duration),
    rule(f"(?P<amount>{_ONE})", _duration),
    rule(f"(?P<a>NUM) TO (?P<q>{_ONE})", _durations),
    rule(f"(?P<e>CEVERY) (?P<amount>(?:NUM? CPIECE? {_UNIT}))", _every_amount),
    rule(f"(?P<amount>NUM CPIECE? {_UNIT}) (?P<e>CEACH)", _every_amount),
    rule("(?P<n>NUM) CDAY (?P<e>CEACH)", _every_days),
    rule("CDAILY", lambda groups: every_unit("day", 1)),
    rule("(?P<c>CDAILY) (?P<p>PART)", _every_part),
    rule("CHALF (?P<u>CDAY)", _half_day),
    rule("(?:CWEEKLY|CEVERY) NO? WEEKDAY (?:(?:COMMA|AND|OR|CWEEKLY){1,2} WEEKDAY){0,6}", _weekly),
    rule("(?:CEVERY CPIECE?)? WORKDAYS", lambda groups: every((0, 1, 2, 3, 4))),
    rule("(?:CEVERY CPIECE?) CWEEKEND", lambda groups: every((5, 6))),
    rule("CMONTHLY NO? (?P<d>NUM) CDAY", lambda groups: every_month(groups["d"].value)),
    rule("CYEARLY NO? (?P<m>NUM) CMONTH (?P<d>NUM) CDAY", _yearly),
)  # fmt: skip

CJK_RULES: tuple[Rule, ...] = _DAY_RULES + _CLOCK_RULES + _RHYTHM_RULES
