"""Where a remote model is: ``http://host:port/v1#model``, read and checked; nothing is asked yet.

``?grammar=FIELD`` before the ``#`` says how the engine wants its grammar, where it does not
say itself what it is (see ``fields``).
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from constrained_du.errors import ModelError
from constrained_du.remote.fields import FIELDS

FORM = "http://host:port/v1#model"
KEY_VARIABLE = "CONSTRAINED_DU_REMOTE_KEY"


@dataclass(frozen=True, slots=True)
class Address:
    """``url`` is the API's root without a slash at its end; ``field`` None means: ask the engine."""

    name: str
    url: str
    model: str
    field: str | None = None

    @property
    def place(self) -> str:
        return self.name


def is_address(model: object) -> bool:
    return isinstance(model, str) and model.lower().startswith(("http://", "https://"))


def read_address(text: str) -> Address:
    """Raises ModelError for what is no address of a model, or holds a password."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as problem:
        raise ModelError(f"{text!r} is no address ({problem}) - write {FORM}") from None
    if not host:
        raise ModelError(f"{text!r} has no host - write {FORM}")
    if parts.username is not None or parts.password is not None:
        raise ModelError(f"the address of {host} holds a user or password, which would be stored - put a key in {KEY_VARIABLE}")
    model = unquote(parts.fragment)
    if not model.strip():
        raise ModelError(f"{text!r} names no model - write {FORM}, with the name that {parts.path or '/'}/models lists")
    url = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    return Address(text, url, model, _field(text, parts.query))


def _field(text: str, query: str) -> str | None:
    options = dict(parse_qsl(query, keep_blank_values=True))
    field = options.pop("grammar", None)
    if options:
        raise ModelError(f"{text!r} has {', '.join(map(repr, options))} after the “?” - only grammar=FIELD is known")
    if field is not None and field not in FIELDS:
        raise ModelError(f"{text!r}: no grammar field {field!r} is known - there are {', '.join(FIELDS)}")
    return field
