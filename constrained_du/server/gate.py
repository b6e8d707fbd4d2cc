"""Stands before all routes: who may ask, and what every answer says about itself.

Without keys only requests that name this machine as their host are let in, so that a foreign
page cannot reach the server by a name of its own; pages of other origins are refused always.
The page itself and the two heartbeats need no key. Pure ASGI.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from constrained_du.server.bodies import refuse
from constrained_du.server.options import Options, is_loopback
from constrained_du.server.refusals import Refusal

OPEN = frozenset(["/", "/healthz", "/hello", "/favicon.ico"])
OPEN_FOLDER = "/static/"
SAFE_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class Gate:
    def __init__(self, app: ASGIApp, options: Options) -> None:
        self._app, self._options = app, options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope["path"], Headers(scope=scope))
        answer = self._app if refusal is None else refuse(refusal)
        await answer(scope, receive, send_safely)

    def _refusal(self, path: str, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        if not self._options.api_keys and not is_loopback(_name(host)):
            return Refusal(403, f"this server answers programs of its own machine, not the host {host!r}", code="host")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return Refusal(403, f"pages of {origin!r} may not ask this server", code="origin")
        if path in OPEN or path.startswith(OPEN_FOLDER) or not self._options.api_keys:
            return None
        return None if self._is_known(headers.get("authorization", "")) else _no_key(bool(headers.get("authorization")))

    def _is_known(self, authorization: str) -> bool:
        scheme, _, key = authorization.partition(" ")
        given = key.strip().encode("utf-8", "replace")
        matches = [hmac.compare_digest(given, known.encode()) for known in self._options.api_keys]
        return scheme.lower() == "bearer" and any(matches)


def _name(host: str) -> str:
    """A host header without its port; ``[::1]:80`` as ``::1``."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _no_key(given: bool) -> Refusal:
    told = "the API key is not one of this server's" if given else "this server asks for a key: Authorization: Bearer …"
    return Refusal(401, told, code="invalid_api_key", headers={"www-authenticate": "Bearer"})
