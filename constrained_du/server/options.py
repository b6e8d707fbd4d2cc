"""How the server is run: where it listens, who may ask, and how much of everything is enough.

Values only; checked once, when they are made. Knows nothing of requests.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from constrained_du.errors import InputError

ANY = "*"
"""The alias that stands for every model name, for scripts that name a model of their own."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds; what is beyond one is refused with 400, 408, 413 or 429."""

    body: int = 1 << 20  # bytes
    utterance: int = 4_000  # code points
    messages: int = 512
    functions: int = 64  # of one request; each costs about half a second of one core to compile
    running: int = 2  # requests that compute; more would only wait for the model
    waiting: int = 32  # requests that wait for those; the next is told to come back (429)
    kept_sets: int = 32  # compiled sets of functions that are kept …
    kept_functions: int = 256  # … and how many functions they may have together (some 1 MB each)
    reading: float = 20.0  # seconds in which a body must have arrived
    draining: int = 30  # seconds for what is under way when the server is told to stop


@dataclass(frozen=True, slots=True)
class Options:
    """``api_keys`` empty: no key is asked for, which is for this machine alone."""

    host: str = "127.0.0.1"
    port: int = 8080
    api_keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    playground: bool = True
    limits: Limits = field(default_factory=Limits)

    def checked(self) -> Options:
        """Raises InputError for a port that is none, a blank key, or strangers without a key."""
        if not 0 <= self.port <= 65535:
            raise InputError(f"port is a whole number from 0 to 65535, not {self.port!r}")
        if any(not key.strip() or not key.isascii() or not key.isprintable() for key in self.api_keys):
            raise InputError("an API key is printable ASCII text - choose another one")
        if not self.api_keys and not self.is_local:
            raise InputError(
                f"{self.host} can be reached from other machines - give an --api-key (or CONSTRAINED_DU_API_KEY), "
                "or listen on 127.0.0.1"
            )
        return self

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can reach it."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """``localhost`` or a loopback address; any other name may mean anything."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
