"""JSON in and out of HTTP: bodies read within limits, answers that are always valid UTF-8.

Knows bytes and JSON; nothing of what a request means.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from constrained_du.server.options import Limits
from constrained_du.server.refusals import Refusal, of_validation
from constrained_du.types import JsonValue, compact_json

Body = TypeVar("Body", bound=BaseModel)

DRAINED = 16
"""So many times the limit is still read, so that the client gets to see the 413 and not a reset."""


async def read_body(request: Request, shape: type[Body], limits: Limits) -> Body:
    """The body as ``shape``; a Refusal with the path of what is wrong."""
    document = await read_json(request, limits)
    if not isinstance(document, dict):
        raise Refusal(400, "the body is one JSON object", code="invalid_json")
    try:
        return shape.model_validate(document)
    except ValidationError as problem:
        raise of_validation(problem) from None


async def read_json(request: Request, limits: Limits) -> JsonValue:
    try:
        raw = await asyncio.wait_for(_read(request, limits.body), limits.reading)
    except asyncio.TimeoutError:
        raise Refusal(
            408, f"the body did not arrive within {limits.reading:g} s", code="timeout", headers={"connection": "close"}
        ) from None
    except ClientDisconnect:
        raise Refusal(400, "the client went away before its body had arrived", code="disconnected") from None
    try:
        return json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        reason = "nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise Refusal(400, f"the body is no JSON: {reason}", code="invalid_json") from None


async def _read(request: Request, most: int) -> bytes:
    announced = request.headers.get("content-length", "")
    size, pieces = int(announced) if announced.isdecimal() else 0, list[bytes]()
    too_large, seen = size > most, 0
    if size <= DRAINED * most:
        async for piece in request.stream():
            seen += len(piece)
            too_large = too_large or seen > most
            if seen > DRAINED * most:
                break
            if not too_large:
                pieces.append(piece)
    if too_large:
        message = f"the body has more than {most} bytes - send less"
        raise Refusal(413, message, code="body_too_large", headers={"connection": "close"})
    return b"".join(pieces)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def to_bytes(value: JsonValue) -> bytes:
    """Compact JSON; letters as themselves, unless half a surrogate pair makes that impossible."""
    try:
        return compact_json(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def reply(value: JsonValue, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(to_bytes(value), status, dict(headers or {}), "application/json")


def refuse(refusal: Refusal) -> Response:
    return reply(refusal.body(), refusal.status, refusal.headers)


def known_fields(value: Any) -> dict[str, Any]:
    """The fields of a frozen body that were sent and are not null."""
    return {name: given for name in value.model_fields_set if (given := getattr(value, name)) is not None}
