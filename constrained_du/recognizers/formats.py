"""Finds addresses and identifiers in text: e-mail, URI, UUID, IP addresses, host names.

Knows these formats and nothing of slots. The standard library decides what is valid where
it has a reader; whole words only, so no part of a longer address is ever found.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

_WORD = re.compile(r"[^\s<>\"'“”‘’「」『』（）()\[\]{}，。！？；、]+")
_TRAILING = ".,;:!?…"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})+")
_EMAIL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(.+)")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def find_formats(text: str, kind: str) -> Iterator[tuple[int, int]]:
    """The (start, end) of every whole word of ``text`` that is a valid ``kind``."""
    valid = _VALID[kind]
    for match in _WORD.finditer(text):
        word = match.group().rstrip(_TRAILING)
        if word and valid(word):
            yield match.start(), match.start() + len(word)


def _is_email(word: str) -> bool:
    match = _EMAIL.fullmatch(word)
    return match is not None and _HOST.fullmatch(match.group(1)) is not None


def _is_uri(word: str) -> bool:
    try:
        parts = urlsplit(word)
    except ValueError:
        return False
    return bool(parts.scheme) and parts.scheme.isascii() and bool(parts.netloc or parts.path) and ":" in word


def _is_address(version: int) -> Callable[[str], bool]:
    def is_valid(word: str) -> bool:
        try:
            return ipaddress.ip_address(word).version == version and "%" not in word
        except ValueError:
            return False

    return is_valid


_VALID: dict[str, Callable[[str], bool]] = {
    "email": _is_email,
    "uri": _is_uri,
    "uuid": lambda word: _UUID.fullmatch(word) is not None,
    "ipv4": _is_address(4),
    "ipv6": _is_address(6),
    "hostname": lambda word: _HOST.fullmatch(word) is not None and not word.replace(".", "").isdigit(),
}
