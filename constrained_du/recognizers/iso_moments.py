"""Reads moments written as ISO 8601 text (2024-05-01T10:00:00+02:00)."""

from __future__ import annotations

import re
from datetime import datetime

from constrained_du.recognizers.calendar import Impossible, Moment

_WRITTEN = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(\.[0-9]+)? ?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def read_moment(text: str) -> Moment | Impossible:
    """``text`` as the tokenizer cut it: lower case, with "t" or a blank between date and time."""
    match = _WRITTEN.fullmatch(text.upper())
    if match is None:
        return Impossible()
    day, clock, seconds, fraction, zone = match.groups(default="")
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{seconds or ':00'}")
    except ValueError:
        return Impossible()
    if zone[1:3] > "23" or zone[-2:] > "59":
        return Impossible()
    written = f"{day}T{clock}{seconds or ':00'}{fraction}{zone}"
    return Moment(moment.date(), clock + seconds, zone, written)
