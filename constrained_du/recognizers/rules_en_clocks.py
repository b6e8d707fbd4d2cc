"""The English rules for times of day: in digits, in words, and half in both."""

from __future__ import annotations

from dataclasses import replace

from constrained_du.recognizers import calendar as cal
from constrained_du.recognizers.calendar import Clock, Impossible, make_clock
from constrained_du.recognizers.time_grammar import Built, Groups, Rule, closed, rule
from constrained_du.recognizers.time_tokens import Token


def _with_suffix(clock: Clock | Impossible, groups: Groups) -> Built:
    """Adds am or pm and the zone said behind the digits."""
    if isinstance(clock, Impossible):
        return clock
    if zone := groups.get("z"):
        clock = replace(clock, zone=str(zone.value))
    if (half := groups.get("ap")) is None:
        return clock
    if clock.hour > 12:
        return clock if half.value is cal.PM else Impossible(days=False)
    if clock.hour == 0:
        return clock if half.value is cal.AM else Impossible(days=False)
    return replace(clock, hour=half.value.hour(clock.hour), sure=True)


def _colon_clock(groups: Groups) -> Built:
    hour, minute, second = groups["t"].value
    return _with_suffix(make_clock(hour, minute, second, sure=groups["t"].text.startswith("0")), groups)


def _hour_clock(groups: Groups) -> Built:
    """7 pm · 7 o'clock · 930pm · seven thirty pm."""
    hour = groups["h"].value
    minute = groups.get("n")
    if minute is None and groups["h"].digits and len(groups["h"].text) in (3, 4):
        hour, written = divmod(hour, 100)
        return _with_suffix(make_clock(hour, written), groups) if hour else None
    if hour > 24 or (minute is not None and not groups.get("oh") and minute.value < 10):
        return Impossible(days=False) if groups.get("ap") and minute is None and hour < 100 else None
    return _with_suffix(make_clock(hour, minute.value if minute else 0), groups)


def _word_clock(groups: Groups) -> Built:
    """seven thirty · six oh five. "7 30" stays two numbers, unless "at" goes before."""
    hour, minute = groups["h"], groups["n"]
    if not 1 <= hour.value <= 12 or not (10 <= minute.value <= 59 or groups.get("oh")) or not closed(groups):
        return None
    if (hour.digits or minute.digits) and not groups.get("at"):
        return None
    return make_clock(hour.value, minute.value)


def _dotted_clock(groups: Groups) -> Built:
    """6.15pm · at 4.15."""
    hour, _, minute = groups["d"].text.partition(".")
    if len(minute) != 2 or len(hour) > 2 or (groups.get("ap") is None and not closed(groups)):
        return None
    return _with_suffix(make_clock(int(hour), int(minute)), groups)


_TO_WORDS = frozenset({"to", "till", "til", "of", "before"})


def _spoken_clock(groups: Groups) -> Built:
    """half past seven · quarter to 8 · 20 past 6 · five to twelve · half nine."""
    hour, minute, word = groups["h"], groups.get("n"), groups.get("s")
    minutes = 30 if groups.get("half") else 15 if groups.get("quarter") else int(minute.value) if minute else 0
    if word is None:
        if hour.value > 12 or (groups.get("ap") is None and not closed(groups)):
            return None
    elif word.cls in ("TO", "UNTIL", "BEFORE", "OF"):
        if word.text not in _TO_WORDS or not _is_minutes_to(groups, minute):
            return None
        minutes = -minutes
    base = int(hour.value)
    if not 0 <= base <= 24 or not -59 <= minutes <= 59 or (base == 0 and hour.cls == "NUM"):
        return None
    exact = hour.cls == "NOON" or base > 12
    total = (base * 60 + minutes) % (1440 if exact else 720)
    hours = total // 60 if exact else total // 60 or 12
    return _with_suffix(make_clock(hours, total % 60, sure=exact), groups)


def _is_minutes_to(groups: Groups, minute: Token | None) -> bool:
    """ "ten to five" is 4:50, but "from ten to five" and "10 to 5" are ranges."""
    if minute is None or groups.get("unit") is not None:
        return True
    before = groups.before
    return not minute.digits and minute.value in (5, 10, 20, 25) and (before is None or before.cls != "FROM")


def _noon(groups: Groups) -> Built:
    return Clock(int(groups["t"].value), sure=True)


def _at_number(groups: Groups) -> Built:
    """at 7 · by 8: a bare hour, where nothing countable and no month follows."""
    hour = groups["h"]
    if hour.digits and len(hour.text) == 4 and hour.text[0] == "0":
        return make_clock(int(hour.text[:2]), int(hour.text[2:]), sure=True)
    if not closed(groups) or not isinstance(hour.value, int) or not 0 <= hour.value <= 24 or len(hour.text) > 7:
        return None
    if groups.after is not None and groups.after.cls in ("NUM", "A", "OF", "AMPM", "OCLOCK", "HM", "MONTH"):
        return None
    return make_clock(hour.value, 0)


def _h_clock(groups: Groups) -> Built:
    """19h30."""
    hour, minute = groups["t"].value
    return make_clock(hour, minute, sure=True)


def _military(groups: Groups) -> Built:
    """1930 hours · 0800 hrs."""
    text = groups["h"].text
    if not text.isdigit() or len(text) != 4 or groups["u"].value != "hour":
        return None
    clock = make_clock(int(text[:2]), int(text[2:]), sure=True)
    return clock


def _bare_number(groups: Groups) -> Built:
    """A number alone: a time only beside other times, which is decided later."""
    value = groups["h"].value
    if not isinstance(value, int) or not 0 <= value <= 24 or len(groups["h"].text) > 6:
        return None
    clock = make_clock(value, 0)
    return replace(clock, weak=True) if isinstance(clock, Clock) else None


_SUFFIX = "(?P<ap>AMPM)? (?P<z>ZONE)?"
_MINUTES = "A? (?:(?P<half>HALF)(?:TO(?=PAST))?|(?P<quarter>QUARTER)|(?P<n>NUM)(?P<unit>UNIT)?)"
_PAST = "(?P<s>PAST|AFTER|TO|UNTIL|BEFORE|OF)"
CLOCK_RULES: tuple[Rule, ...] = (
    rule(f"(?P<core>(?P<t>HM) OCLOCK? {_SUFFIX}) SHARP?", _colon_clock),
    rule("(?P<h>NUM) (?P<ap>AMPM) (?P<z>ZONE)?", _hour_clock),
    rule(f"(?P<h>NUM) OCLOCK {_SUFFIX}", _hour_clock),
    rule("(?P<h>NUM) (?P<oh>OH)? (?P<n>NUM) (?P<ap>AMPM) (?P<z>ZONE)?", _hour_clock),
    rule("(?P<at>AT|BEFORE|AFTER|UNTIL)? (?P<core>(?P<h>NUM) (?P<oh>OH)? (?P<n>NUM))", _word_clock),
    rule("(?P<d>DEC) (?P<ap>AMPM) (?P<z>ZONE)?", _dotted_clock),
    rule("(?:AT|BEFORE|AFTER|UNTIL) (?P<core>(?P<d>DEC) (?P<ap>AMPM)?)", _dotted_clock),
    rule(f"(?:AT|UNTIL)? (?P<core>{_MINUTES} {_PAST} (?P<h>NUM|NOON) OCLOCK? {_SUFFIX})", _spoken_clock),
    rule(f"(?:AT|UNTIL)? (?P<core>(?P<half>HALF) (?P<h>NUM) {_SUFFIX})", _spoken_clock),
    rule("(?P<t>NOON)", _noon),
    rule("NUM (?P<t>NOON)", lambda groups: _noon(groups) if groups.tokens()[0].value == 12 else None),
    rule("(?:AT|BEFORE|AFTER|UNTIL) (?P<core>(?P<h>NUM)) SHARP?", _at_number),
    rule("(?P<h>NUM) ISH", _at_number),
    rule("(?P<h>NUM) (?P<u>UNIT)", _military),
    rule("(?P<t>HCLOCK)", _h_clock),
    rule("(?P<h>NUM)", _bare_number),
    rule("(?P<p>EARLY? PART)", lambda groups: groups.tokens("p")[-1].value),
)  # fmt: skip
