"""Reads moments written as ISO 8601 text (2024-05-01T10:00:00+02:00)."""

from __future__ import annotations

from datetime import datetime

from constrained_du.recognizers.calendar import Impossible, Moment


def read_moment(text: str) -> Moment | Impossible:
    """``text`` as the tokenizer cut it: folded, with "t" or a blank between date and time."""
    written = text.upper().replace(" +", "+")
    written = written[:10] + "T" + written[11:]
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return Impossible()
    zone = written[16:].lstrip(":0123456789.") if moment.tzinfo is not None else ""
    clock = written[11:16] if len(written) == 16 + len(zone) else written[11:19]
    if len(written) == 16 + len(zone):
        written = written[:16] + ":00" + zone
    return Moment(moment.date(), clock, zone, written)
