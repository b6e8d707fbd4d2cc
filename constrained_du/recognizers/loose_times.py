"""Phrases of time that are no moment: "tomorrow morning", "the eighties", "within five days", 八十年代.

Said for words that a slot takes as they were said; nothing resolves them. English, Chinese, Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from constrained_du.types import Span

_PARTS = re.compile(
    r" (?:in the )?(?:early |late )?(?:morning|afternoon|evening|night|midday|noon|lunchtime|dinnertime)\b"
    "|的?(?:早上|上午|中午|下午|傍晚|晚上|夜里|凌晨|清晨|早晨|晚间)|の?(?:朝|午前中?|昼|お昼|正午|午後|夕方|夜|晩|深夜)",
    re.IGNORECASE,
)
_AFTER_LENGTH = re.compile(r" (?:from now|later|ago|earlier)\b|以内|之内|以后|之后|以前|之前|[内后後前]", re.IGNORECASE)
_BEFORE_LENGTH = re.compile(
    r"\b(?:within|(?:in |for |over )?(?:the )?(?:next|coming|past|last)|in) (?:the )?$"
    "|(?:从现在起|今后|未来|接下来|これから|今から)的?$",
    re.IGNORECASE,
)
_CLOCK_UNIT = re.compile(r"(?:minute|hour|second|min|hr)s?$|分钟?|小时|秒|時間", re.IGNORECASE)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov|dec)ember|october)"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY_AFTER = re.compile(rf",? (?:on )?{_DAY}\b", re.IGNORECASE)
_MOMENTS = frozenset(("date", "time", "datetime"))
_ALONE = (
    (re.compile(r"\b(?:in the (?:morning|afternoon|evening)|at night)\b", re.IGNORECASE), "time"),
    (re.compile(r"\bin (?:a few|a couple of|several|some) (?:more )?(?:minutes|hours)\b", re.IGNORECASE), "time"),
    (re.compile(r"\bin (?:a few|a couple of|several|some) (?:more )?(?:days|weeks|months|years)\b", re.IGNORECASE), "date"),
    (re.compile(
        r"\b(?:this|next|last|the coming) "
        r"(?:minute|hour|week|weekend|month|quarter|year|spring|summer|autumn|fall|winter|season)\b"
        "|[这下上本]个?(?:周末|星期|周|月|季度|年|春天|夏天|秋天|冬天)(?![一二三四五六日天末])|[今来先](?:週末|週|月|年)(?!の?[月火水木金土日]曜)",
        re.IGNORECASE,
    ), "date"),
    (re.compile(r"(?<=\bfrom )(?:19|20)\d\d\b|(?<=\bin )(?:19|20)\d\d\b", re.IGNORECASE), "date"),
    (re.compile(
        r"(?:\bthe )?\b(?:19|20)?[1-9]0'?s\b|\bthe (?:twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b"
        "|[一二三四五六七八九]十年代|(?:19|20)?\\d0年代|(?:19|20)\\d\\d年",
        re.IGNORECASE,
    ), "date"),
    (re.compile(
        rf"\b{_DAY},? (?:the )?(?:{_MONTH} {_NTH}|{_NTH} (?:of )?{_MONTH})\b(?:,? \d{{4}}\b)?", re.IGNORECASE,
    ), "date"),  # where the weekday is another one it names no day, and was said all the same
)  # fmt: skip


def find_loose(text: str, known: Iterable[tuple[Span, str]]) -> Iterator[tuple[Span, str]]:
    """Such phrases and their kinds; ``known`` are the moments and durations that were found, with theirs."""
    known = list(known)
    for span, kind in known:
        if kind == "date" and (part := _PARTS.match(text, span.end)):
            yield Span(span.start, part.end()), "datetime"
        day = _WEEKDAY_AFTER.match(text, span.end) if kind == "date" else None
        if day is not None and any(map(str.isdigit, text[span.start : span.end])):
            yield Span(span.start, day.end()), "date"
        if kind == "duration":
            before, after = _BEFORE_LENGTH.search(text, 0, span.start), _AFTER_LENGTH.match(text, span.end)
            if before or after:
                unit = "time" if _CLOCK_UNIT.search(text, span.start, span.end) else "date"
                yield Span(before.start() if before else span.start, after.end() if after else span.end), unit
    for pattern, kind in _ALONE:
        for match in pattern.finditer(text):
            if not any(span.start <= match.start() and match.end() <= span.end for span, own in known if own in _MOMENTS):
                yield Span(match.start(), match.end()), kind
