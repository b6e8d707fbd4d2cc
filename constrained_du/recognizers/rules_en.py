"""The English rules for lengths and rhythms, and the list of all English rules."""

from __future__ import annotations

from fractions import Fraction

from constrained_du.recognizers import calendar as cal
from constrained_du.recognizers.amounts_en import AMOUNT, ONE_AMOUNT, read_amount
from constrained_du.recognizers.calendar import Recurrence
from constrained_du.recognizers.recurring import every, every_month, every_unit
from constrained_du.recognizers.rules_en_clocks import CLOCK_RULES
from constrained_du.recognizers.rules_en_days import DAY_RULES, offset_of
from constrained_du.recognizers.time_grammar import Built, Groups, Rule, closed, rule
from constrained_du.recognizers.time_tokens import Token


def _in_amount(groups: Groups) -> Built:
    """in 30 minutes · two weeks from now. "within", "in" before a noun ("in a minute-long") stay lengths."""
    return None if groups["i"].text == "within" else offset_of(read_amount(groups.tokens("amount")), 1)


def _ago(groups: Groups) -> Built:
    return offset_of(read_amount(groups.tokens("amount")), -1 if groups["s"].cls == "AGO" else 1)


def _duration(groups: Groups) -> Built:
    """30 minutes · an hour and a half. "60 miles an hour", "twice a day" are rates."""
    before, tokens = groups.before, groups.tokens()
    if tokens[-1].cls == "SECOND" and tokens[0].cls == "A" and not closed(groups):
        return None
    one = tokens[0].cls == "A" and tokens[1].cls in ("UNIT", "SECOND")
    if one and before is not None and _is_rate(before):
        return None
    if before is not None and before.text in ("-", "~") and before.cls == "TO" and not before.glued:
        return None
    return read_amount(tokens)


def _hour_and(groups: Groups) -> Built:
    """an hour and twenty: minutes, where nothing that is counted follows."""
    minutes, after = groups["n"].value, groups.after
    if groups["u"].value != "hour" or minutes not in range(10, 60, 5) or (after is not None and after.text.endswith("s")):
        return None
    hours = 1 if groups["h"].cls == "A" else int(groups["h"].value)
    return cal.make_duration([(Fraction(hours), "hour"), (Fraction(minutes), "minute")])


def _is_rate(token: Token) -> bool:
    if token.cls == "OTHER":
        return token.text.endswith("s") or token.text in ("once", "twice")
    return token.cls in ("NUM", "MEASURE", "JUNK", "UNIT")


def _durations(groups: Groups) -> Built:
    """5 to 10 minutes · 2-3 hours: both ends have the unit said once."""
    unit = groups.tokens("q")[-1]
    first = read_amount([groups["a"], unit])
    last = read_amount(groups.tokens("q"))
    return [("a", first), ("q", last)] if first and last else None


def _every_day(groups: Groups) -> Built:
    """every Monday · every other day · every 3 minutes · every morning."""
    other = groups.get("other") or groups.get("second")
    count = groups.get("n")
    interval = 2 if other else int(count.value) if count else 1
    if not 1 <= interval <= 10000:
        return None
    if part := groups.get("p"):
        return Recurrence("FREQ=DAILY", part=part.value)
    return every_unit(str(groups["u"].value) if groups["u"].cls == "UNIT" else "second", interval)


def _every_month(groups: Groups) -> Built:
    """every 1st of the month · the 15th of every month."""
    unit = groups.get("u")
    return None if unit is not None and unit.value != "month" else every_month(groups["d"].value)


def _every_weekday(groups: Groups) -> Built:
    """every Monday (and Friday) · Mondays · every other Tuesday."""
    days = tuple(int(token.value) for token in groups.tokens() if token.cls in ("WEEKDAY", "WEEKDAYS", "SHORTDAY"))
    return every(days, 2 if groups.get("other") else 1)


_AND = "(?:COMMA|AND|OR){1,2}"
_RHYTHM_RULES = (
    rule(f"(?P<i>IN) AT? (?P<amount>{AMOUNT}) (?:FROM NOW)?", _in_amount),
    rule(f"(?P<amount>{AMOUNT}) (?P<s>AGO|LATER)", _ago),
    rule(f"(?P<i>IN) AT? (?P<amount>{ONE_AMOUNT})", _in_amount),
    rule(f"(?P<amount>{AMOUNT})", _duration),
    rule(f"(?P<amount>{ONE_AMOUNT})", _duration),
    rule("(?P<h>A|NUM) (?P<u>UNIT) AND (?P<n>NUM)", _hour_and),
    rule(f"(?P<a>NUM|DEC) (?:TO|OR) (?P<q>{ONE_AMOUNT})", _durations),
    rule("EVERY (?P<other>OTHERW|SECOND)? (?P<n>NUM)? (?P<u>UNIT)", _every_day),
    rule("EVERY (?P<u>SECOND)", _every_day),
    rule("EVERY (?P<p>PART)", _every_day),
    rule(f"EVERY (?P<other>OTHERW|SECOND)? WEEKDAY (?:{_AND} EVERY? WEEKDAY){{0,6}}", _every_weekday),
    rule(f"WEEKDAYS (?:{_AND} WEEKDAYS){{0,6}}", _every_weekday),
    rule("EVERY (?P<d>ORD) (?:OF THE (?P<u>UNIT))?", _every_month),
    rule("THE? (?P<d>ORD) OF EVERY (?P<u>UNIT)", _every_month),
    rule("EVERY WORKDAYS", lambda groups: every((0, 1, 2, 3, 4))),
    rule("EVERY WEEKEND", lambda groups: every((5, 6))),
    rule("ON (?P<core>WORKDAYS)", lambda groups: every((0, 1, 2, 3, 4))),
    rule("(?P<d>DAILY)", lambda groups: Recurrence(f"FREQ={groups['d'].value}")),
    rule("NOW", lambda groups: cal.Now()),
)  # fmt: skip

ENGLISH_RULES: tuple[Rule, ...] = DAY_RULES + CLOCK_RULES + _RHYTHM_RULES
