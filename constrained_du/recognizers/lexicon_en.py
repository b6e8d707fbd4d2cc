"""The English words of time, each with its token class and its worth. Tables only."""

from __future__ import annotations

from typing import Any

from constrained_du.recognizers.calendar import AFTERNOON, AM, EVENING, MORNING, NIGHT, PM, Part

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT_WEEKDAYS = (
    ("tue", 1), ("tues", 1), ("thu", 3), ("thur", 3), ("thurs", 3), ("fri", 4),
)  # fmt: skip
_WORDLIKE_WEEKDAYS = (("mon", 0), ("wed", 2), ("weds", 2), ("sat", 5), ("sun", 6))
"""Other words are spelt like these: they are days only beside other time words."""
_MONTHS = (
    (
        "january february march april may june july august september october november december"
    ).split()
)  # fmt: skip
_SHORT_MONTHS = (
    ("jan", 1), ("feb", 2), ("mar", 3), ("apr", 4), ("jun", 6), ("jul", 7), ("aug", 8), ("sep", 9),
    ("sept", 9), ("oct", 10), ("nov", 11), ("dec", 12),
)  # fmt: skip
_UNITS = (
    ("minute", "minute minutes min mins"), ("hour", "hour hours hr hrs h"), ("day", "day days"),
    ("week", "week weeks wk wks"), ("month", "month months"), ("year", "year years yr yrs"),
    ("second", "seconds sec secs"), ("fortnight", "fortnight fortnights"), ("decade", "decade decades"),
)  # fmt: skip
_PARTS: dict[str, Part] = {
    "morning": MORNING, "afternoon": AFTERNOON, "evening": EVENING, "night": NIGHT, "mornings": MORNING,
    "afternoons": AFTERNOON, "evenings": EVENING, "nights": NIGHT,
}  # fmt: skip
_CLASSES: dict[str, str] = {
    "NEXT": "next following", "THIS": "this", "LAST": "last past previous", "COMING": "coming upcoming",
    "AT": "at @ around about approximately by before after until till til circa approx arr arrive arriving",
    "ON": "on", "IN": "in within", "FOR": "for", "FROM": "from between starting", "AGO": "ago",
    "LATER": "later hence", "NOW": "now", "AND": "and & plus", "OR": "or", "TO": "to through thru -",
    "OF": "of", "THE": "the", "A": "a an", "HALF": "half", "QUARTER": "quarter", "QUARTERS": "quarters",
    "EVERY": "every each", "OTHERW": "other alternate", "WEEKEND": "weekend weekends",
    "WORKDAYS": "weekday weekdays workday workdays", "COUPLE": "couple", "END": "end", "OH": "oh o",
    "COMMA": ", 、 ，", "EARLY": "early late", "SHARP": "sharp exactly", "ISH": "ish",
}  # fmt: skip
_MEASURES = (
    "percent % degrees degree ° ℃ ℉ celsius fahrenheit km kg mph kmh meters metres miles people "
    "persons guests dollars euros pounds bucks cents usd eur point points times seats tickets "
    "items pieces stars $ € £ volts watts mb gb"
).split()
_FUNCTION_WORDS = (
    "please with under if then so but because when while instead not no is are was be it me my we you i "
    "he she they us our your and or to for from on in at by of the a an there here sharp would will "
    "should can could do does did also too thanks thank ok okay yes via per as that this these those "
    "latest earliest tops maybe just only again still ! ? . ; : ) ( … - call remind wake book set . 。 ！ "
    "？ table"
).split()
_QUOTES = "\"'"
_ZONES = {"utc": "+00:00", "gmt": "+00:00"} | dict.fromkeys(
    ("est edt cst cdt mst mdt pst pdt cet cest bst jst ist hkt sgt aest eet et pt").split(), "?"
)

LEXICON: dict[str, tuple[str, Any]] = {}
"""Folded word -> (token class, value)."""


def _build() -> None:
    LEXICON.update(dict.fromkeys((*_FUNCTION_WORDS, *_QUOTES), ("FUNC", None)))
    LEXICON.update(dict.fromkeys(_MEASURES, ("MEASURE", None)))
    LEXICON.update({word: ("ZONE", offset) for word, offset in _ZONES.items()})
    for name, words in _CLASSES.items():
        LEXICON.update({word: (name, word) for word in words.split()})
    LEXICON.update({word: ("WEEKDAY", day) for day, word in enumerate(_WEEKDAYS)})
    LEXICON.update({word + "s": ("WEEKDAYS", day) for day, word in enumerate(_WEEKDAYS)})
    LEXICON.update({word: ("WEEKDAY", day) for word, day in _SHORT_WEEKDAYS})
    LEXICON.update({word: ("SHORTDAY", day) for word, day in _WORDLIKE_WEEKDAYS})
    LEXICON.update({word: ("MONTH", number) for number, word in enumerate(_MONTHS, 1)})
    LEXICON.update({word: ("MONTH", number) for word, number in _SHORT_MONTHS})
    for unit, words in _UNITS:
        LEXICON.update(dict.fromkeys(words.split(), ("UNIT", unit)))
    LEXICON.update({word: ("PART", part) for word, part in _PARTS.items()})
    LEXICON.update(dict.fromkeys(("today",), ("REL", 0)))
    LEXICON.update(dict.fromkeys(("tomorrow", "tmr", "tmrw", "tomorow", "tommorow", "tommorrow"), ("REL", 1)))
    LEXICON.update({"yesterday": ("REL", -1), "tonight": ("TONIGHT", 0), "tonite": ("TONIGHT", 0)})
    LEXICON.update(dict.fromkeys(("noon", "midday", "noontime"), ("NOON", 12)) | {"midnight": ("NOON", 0)})
    LEXICON.update({"after": ("AFTER", "after"), "before": ("BEFORE", "before"), "past": ("PAST", "past")})
    LEXICON.update({word: ("UNTIL", word) for word in ("until", "till", "til")})
    LEXICON.update({"am": ("AMPM", AM), "pm": ("AMPM", PM), "second": ("SECOND", 2), "~": ("TO", "~")})
    LEXICON.update({word: ("DAILY", freq) for word, freq in _FREQUENCIES})


_FREQUENCIES = (
    ("daily", "DAILY"), ("nightly", "DAILY"), ("weekly", "WEEKLY"), ("monthly", "MONTHLY"),
    ("yearly", "YEARLY"), ("annually", "YEARLY"), ("hourly", "HOURLY"),
)  # fmt: skip
_build()

HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "xmas": (12, 25),
    "boxing day": (12, 26), "new year's eve": (12, 31), "new years eve": (12, 31), "new year's day": (1, 1),
    "new years day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14), "valentines day": (2, 14),
    "april fools' day": (4, 1), "independence day": (7, 4), "st patrick's day": (3, 17),
}  # fmt: skip
"""Days of the same date each year -> (month, day)."""
