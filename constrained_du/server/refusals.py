"""Errors as a client sees them: a status and OpenAI's error body with the field's path.

The one seam at which failures of the package become answers. What is the server's own fault
is logged here and told in general words, so that no path of its disk leaves it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping

from pydantic import ValidationError

from constrained_du.errors import (
    CandidateError,
    ConstrainedDuError,
    ContextOverflowError,
    ExemplarError,
    GrammarError,
    InputError,
    SpecError,
)
from constrained_du.types import JsonValue

LOG = logging.getLogger("constrained_du.server")

_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_FIELD = re.compile(r"(entities|expectations|history|now|tool_choice|max_calls|n_best)\b(\[(?:'[^']*'|\d+)\])?")
_ROOT = re.compile(r"\A[^$]*\$")


class Refusal(Exception):
    """A request that is answered with an error; ``param`` is the path of the field at fault."""

    def __init__(
        self,
        status: int,
        message: str,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code
        self.headers = dict(headers or {})

    def body(self) -> dict[str, JsonValue]:
        kind = _KINDS.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def of_failure(problem: ConstrainedDuError, utterance: str = "messages", specs: str = "tools") -> Refusal:
    """The refusal that tells a failure; ``utterance`` and ``specs`` are what the request calls these."""
    text = str(problem)
    match problem:
        case SpecError():
            return Refusal(400, text, _ROOT.sub(specs, problem.path), "invalid_function_spec")
        case ExemplarError():
            return Refusal(400, text, "exemplars", "invalid_exemplar")
        case ContextOverflowError():
            return Refusal(400, text, utterance, "context_length_exceeded")
        case CandidateError() | InputError():
            found = _FIELD.match(text)
            return Refusal(400, text, found[0] if found else utterance, "invalid_value")
        case GrammarError():
            return Refusal(400, text, specs, "grammar_too_large")
        case _:
            return of_bug(problem)


def of_bug(problem: BaseException) -> Refusal:
    """Whatever it was goes to the log; the client learns that it was not its fault."""
    LOG.error("a request failed", exc_info=problem)
    return Refusal(500, "the server could not answer - its log says why", code="internal_error")


def of_validation(problem: ValidationError) -> Refusal:
    """The first thing that is wrong with a body, and how many more there are."""
    errors = problem.errors(include_url=False, include_context=False, include_input=False)
    first, path = errors[0], path_of(errors[0]["loc"])
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first["type"] == "extra_forbidden":
        return Refusal(400, f"there is no field {path} here - leave it out{more}", path, "unknown_field")
    code = "missing_field" if first["type"] == "missing" else "invalid_value"
    return Refusal(400, f"{path}: {first['msg']}{more}", path, code)


def path_of(steps: tuple[int | str, ...]) -> str:
    """``("messages", 0, "role")`` as ``messages[0].role``."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path
