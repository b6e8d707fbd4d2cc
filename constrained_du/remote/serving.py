"""Asks a serving engine over HTTP for the greedy completion of a prompt under a grammar.

Knows the OpenAI-compatible ``/completions`` and nothing of calls; whatever goes wrong is an
error that names the address. May be used by several threads.
"""

from __future__ import annotations

import importlib
import os
import threading
import weakref
from dataclasses import dataclass
from typing import Any

from constrained_du.errors import ContextOverflowError, DecodeError, ModelError
from constrained_du.grammar.grammar import Grammar
from constrained_du.remote.address import KEY_VARIABLE, Address
from constrained_du.remote.fields import FIELDS, OF_OWNER, USUAL
from constrained_du.types import JsonValue

CONNECT, ANSWER = 10.0, 300.0  # seconds: a machine is there or not; an answer may wait in a long queue
AT_ONCE = 32  # requests of one batch under way: engines join about so many in one forward pass
SHOWN = 300  # letters of a refusal that are quoted


@dataclass(frozen=True, slots=True)
class Completion:
    """The text, and how many tokens the engine says it evaluated (0: it does not say)."""

    text: str
    tokens: int = 0


class Serving:
    """One model of one engine."""

    def __init__(self, address: Address, most: int) -> None:
        self.address, self.most = address, most
        self._field = address.field
        self._asking = threading.Lock()
        import ssl

        http = require_http()
        key = os.environ.get(KEY_VARIABLE)
        # No proxies, no .netrc: words of users go to the address that was given, and nowhere else.
        # The authorities are the machine's own and those of SSL_CERT_FILE.
        self._client = http.Client(
            timeout=http.Timeout(ANSWER, connect=CONNECT), limits=http.Limits(max_connections=AT_ONCE), trust_env=False,
            headers={"Authorization": f"Bearer {key}"} if key else {}, verify=ssl.create_default_context(),
        )  # fmt: skip
        weakref.finalize(self, self._client.close)

    @property
    def field(self) -> str:
        """How the engine is given grammars; it is asked once what it is, if the address does not say."""
        with self._asking:
            if self._field is None:
                self._field = self._told()
            return self._field

    def _told(self) -> str:
        listed = self._answer("GET", "/models").get("data")
        models = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        owners = {str(entry.get("owned_by")).lower() for entry in models}
        return next((field for owner, field in OF_OWNER.items() if owner in owners), USUAL)

    def complete(self, prompt: str, grammar: Grammar) -> Completion:
        """The likeliest text token by token, among those that the grammar has.

        Raises ModelError where the engine cannot be reached or refuses, ContextOverflowError
        for a prompt that is too long for it, DecodeError for an answer that was cut off.
        """
        body: dict[str, JsonValue] = {
            "model": self.address.model, "prompt": prompt, "max_tokens": self.most, "temperature": 0, "stream": False,
            **FIELDS[self.field](grammar),
        }  # fmt: skip
        answer = self._answer("POST", "/completions", body)
        try:
            choice = answer["choices"][0]
            text, reason = choice["text"], choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError):
            told = _shown(repr(answer))
            raise ModelError(f"{self._at('/completions')} gave no completion: {told} - is it OpenAI's API?") from None
        if not isinstance(text, str):
            raise ModelError(f"{self._at('/completions')} gave {_shown(repr(text))} for a text - is it OpenAI's API?")
        if reason == "length":
            raise DecodeError(
                f"{self._at('/completions')} cut the answer off at {self.most} tokens ({_shown(text)!r}) - bound free text "
                "with maxLength, or raise context= (a quarter of it is for the answer)"
            )
        return Completion(text, _tokens(answer))

    # -- HTTP ----------------------------------------------------------------------------

    def _at(self, path: str) -> str:
        return f"{self.address.url}{path}"

    def _answer(self, method: str, path: str, body: JsonValue = None) -> dict[str, Any]:
        http = require_http()
        try:
            reply = self._client.request(method, self._at(path), json=body)
        except http.TimeoutException:
            raise ModelError(f"{self._at(path)} did not answer in time - is the engine overloaded, or stuck?") from None
        except (http.HTTPError, http.InvalidURL) as problem:
            raise ModelError(f"{self._at(path)} cannot be reached ({problem}) - does the engine run there?") from None
        if reply.status_code != 200:
            raise self._refused(path, reply.status_code, _shown(reply.text))
        try:
            answer = reply.json()
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ModelError(f"{self._at(path)} gave no JSON object: {_shown(reply.text)!r} - is it OpenAI's API?")
        return answer

    def _refused(self, path: str, status: int, told: str) -> Exception:
        if status in (400, 413) and "context" in told.lower():
            return ContextOverflowError(
                f"{self._at(path)} says that its context is too small ({told!r}) - shorten the utterance, use fewer "
                "functions, or give the engine a larger context"
            )
        way_out = {
            401: f"put the right key in {KEY_VARIABLE}",
            403: f"put the right key in {KEY_VARIABLE}",
            404: f"is {self.address.url} the API's root, and {self.address.model!r} one of its models?",
            429: "it is busy: ask fewer at once, or later",
            503: "it is busy or still loads its model: ask later",
        }.get(status, f"does it know the field {self._field or USUAL!r}? ?grammar=FIELD before the # names another")
        return ModelError(f"{self._at(path)} refuses with status {status}: {told!r} - {way_out}")


def require_http() -> Any:
    """The HTTP library; ModelError where the extra is not installed."""
    try:
        return importlib.import_module("httpx")
    except ImportError as problem:
        raise ModelError(
            f"a model at an address needs the `remote` extra, which is not installed here ({problem.name or problem}) - "
            "pip install 'constrained_du[remote]'"
        ) from None


def _tokens(answer: dict[str, Any]) -> int:
    usage = answer.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and total > 0 else 0


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
