"""OpenAI's routes: ``/v1/chat/completions`` and ``/v1/models``.

A model is a domain of the catalogue. A request that brings functions of its own gets them
compiled with that domain's settings, once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from constrained_du.server.bodies import read_body, reply
from constrained_du.server.chat_answer import END, Answer, chunks, completion, of_result, of_text, server_sent
from constrained_du.server.chat_request import ChatRequest, check, order
from constrained_du.server.compiled import Compiled, Documents
from constrained_du.server.options import ANY
from constrained_du.server.refusals import Refusal
from constrained_du.server.state import State, state_of
from constrained_du.server.tool_results import is_answered_by_template, told
from constrained_du.types import JsonValue

EMPTY_FINGERPRINT = "cdu_template"


async def chat(http: Request) -> Response:
    state = state_of(http)
    request = await read_body(http, ChatRequest, state.options.limits)
    check(request, state.options.limits)
    name = _domain_name(state, request.model)
    if is_answered_by_template(request.messages):
        return _response(of_text(told(request.messages)), request, EMPTY_FINGERPRINT)
    domain = await _domain(state, name, request)
    asked = order(request, domain.converter.labels, state.options.limits)
    result = await state.crew.run(partial(domain.converter.convert, asked.utterance, **asked.arguments))
    return _response(of_result(result, request), request, f"cdu_{domain.digest[:16]}")


def _domain_name(state: State, model: str) -> str:
    if model in state.catalogue:
        return model
    if model in state.options.aliases or ANY in state.options.aliases:
        return state.catalogue.names[0]
    known = ", ".join(repr(name) for name in state.catalogue.names)
    raise Refusal(404, f"there is no model {model!r} here - there is {known}", "model", "model_not_found")


async def _domain(state: State, name: str, request: ChatRequest) -> Compiled:
    domain = await state.loaded(name)
    own = request.functions if request.tools is None else request.tools
    if own is not None:
        documents = Documents(own, request.exemplars or [], request.recognizers or {})
        specs = "functions" if request.tools is None else "tools"
        return await state.compiled(documents, domain.converter.settings, specs)
    for field in ("exemplars", "recognizers"):
        if getattr(request, field):
            raise Refusal(400, f"{field} go with tools of the request's own - send both", field, "invalid_value")
    return domain


def _response(answer: Answer, request: ChatRequest, fingerprint: str) -> Response:
    if not request.stream:
        return reply(completion(answer, request.model, fingerprint))
    with_usage = bool(request.stream_options and request.stream_options.include_usage)
    events = _events(chunks(answer, request.model, fingerprint, with_usage))
    return StreamingResponse(events, media_type="text/event-stream", headers={"cache-control": "no-cache"})


async def _events(documents: Iterable[JsonValue]) -> AsyncIterator[bytes]:
    for document in documents:
        yield server_sent(document).encode("utf-8", "replace")
    yield END.encode()


async def models(http: Request) -> Response:
    state = state_of(http)
    return reply({"object": "list", "data": [_model(state, name) for name in state.catalogue.names]})


async def model(http: Request) -> Response:
    name = http.path_params["name"]
    state = state_of(http)
    if name not in state.catalogue:
        raise Refusal(404, f"there is no model {name!r} here", "model", "model_not_found")
    return reply(_model(state, name))


def _model(state: State, name: str) -> JsonValue:
    return {"id": name, "object": "model", "created": state.started, "owned_by": "constrained_du"}


ROUTES = [
    Route("/v1/chat/completions", chat, methods=["POST"]),
    Route("/v1/models", models, methods=["GET"]),
    Route("/v1/models/{name}", model, methods=["GET"]),
]
