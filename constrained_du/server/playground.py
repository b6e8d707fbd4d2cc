"""The page to play on, and the routes that only it uses.

It shows any domain of the catalogue or a bundled example, takes utterances with all that can
be said about them, and compiles edited documents. Compiled sets live on the shared shelf; one
that was put away is compiled again by the page.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from constrained_du.errors import ConstrainedDuError
from constrained_du.server.bodies import known_fields, read_body, reply
from constrained_du.server.chat_request import Shape, moment
from constrained_du.server.compiled import Compiled, Documents, count_functions
from constrained_du.server.refusals import Refusal, of_failure
from constrained_du.server.state import State, state_of
from constrained_du.server.written import result_json
from constrained_du.slots.view import View
from constrained_du.types import JsonValue

STATIC = Path(__file__).resolve().parent / "static"


class Edited(Shape):
    """Documents out of the page's editors; ``base`` names the domain whose model is used."""

    base: str
    specs: list[dict[str, Any]] | dict[str, Any]
    exemplars: list[dict[str, Any]] | dict[str, Any] | None = None
    recognizers: dict[str, Any] | None = None


class Asked(Shape):
    """Everything that ``convert`` takes. ``domain`` is a name, or the digest of a compiled set."""

    domain: str
    utterance: str
    entities: dict[str, list[list[Any]]] | None = None
    expectations: list[list[str]] | None = None
    history: list[str] | None = None
    now: str | None = None
    functions: list[str] | None = None
    tool_choice: str | None = None
    max_calls: Annotated[int, Field(ge=1, le=32)] | None = None
    n_best: Annotated[int, Field(ge=1, le=64)] | None = None


class Looked(Shape):
    domain: str
    utterance: str
    now: str | None = None


async def domains(http: Request) -> Response:
    state = state_of(http)
    served = [{"name": name, "example": False} for name in state.catalogue.names]
    return reply({"domains": [*served, *({"name": name, "example": True} for name in state.catalogue.examples)]})


async def domain(http: Request) -> Response:
    name = http.path_params["name"]
    return reply(_described(name, await _domain(state_of(http), name)))


async def compile_edited(http: Request) -> Response:
    state = state_of(http)
    edited = await read_body(http, Edited, state.options.limits)
    if count_functions(edited.specs) > state.options.limits.functions:
        message = f"more than {state.options.limits.functions} functions - compile them with constrained-du compile"
        raise Refusal(400, message, "specs", "too_many")
    base = await _domain(state, edited.base)
    documents = Documents(edited.specs, edited.exemplars or [], edited.recognizers or {})
    made = await state.compiled(documents, base.converter.settings, "specs")
    return reply(_described(made.digest, made))


async def convert(http: Request) -> Response:
    state = state_of(http)
    asked = await read_body(http, Asked, state.options.limits)
    _check_length(state, asked.utterance)
    found = await _domain(state, asked.domain)
    arguments = known_fields(asked) | {"now": moment(asked.now, "now")}
    del arguments["domain"]
    arguments["expectations"] = [tuple(pair) for pair in asked.expectations or ()]
    result = await _run(state, partial(found.converter.convert, **arguments))
    specs = {str(spec["label"]): spec for spec in found.converter.specs}
    return reply(result_json(result, specs))


async def recognised(http: Request) -> Response:
    """What stands out in an utterance without any model: list values, numbers, times."""
    state = state_of(http)
    looked = await read_body(http, Looked, state.options.limits)
    _check_length(state, looked.utterance)
    found = await _domain(state, looked.domain)
    return reply({"spans": await _run(state, partial(_spans, found, looked))})


def _spans(found: Compiled, looked: Looked) -> list[JsonValue]:
    text = looked.utterance
    values: list[JsonValue] = [
        {"start": one.start, "end": one.end, "kind": kind, "value": one.value}
        for kind, recognizer in found.recognizers.items()
        for one in recognizer.find(text)
    ]
    for (start, end), kind in View(text, moment(looked.now, "now")).kinds.items():
        values.append({"start": start, "end": end, "kind": kind})
    return sorted(values, key=lambda one: (one["start"], -one["end"]))


def _described(name: str, found: Compiled) -> JsonValue:
    return {
        "domain": name,
        "functions": [dict(spec) for spec in found.converter.specs],
        "types": sorted(found.recognizers),
        "documents": {
            "specs": found.documents.specs,
            "exemplars": found.documents.exemplars,
            "recognizers": found.documents.recognizers,
        },
        "warnings": list(found.warnings),
        "seconds": found.seconds,
    }


async def _domain(state: State, name: str) -> Compiled:
    kept = state.shelf.find(name)
    if kept is not None:
        return kept
    if name not in state.catalogue and name not in state.catalogue.examples:
        raise Refusal(404, "there is no such domain, or it was put away - compile it again", "domain", "domain_gone")
    return await state.loaded(name)


async def _run(state: State, work: Callable[[], Any]) -> Any:
    try:
        return await state.crew.run(work)
    except ConstrainedDuError as problem:
        raise of_failure(problem, utterance="utterance", specs="specs") from None


def _check_length(state: State, utterance: str) -> None:
    if len(utterance) > state.options.limits.utterance:
        raise Refusal(400, f"more than {state.options.limits.utterance} code points", "utterance", "utterance_too_long")


async def page(http: Request) -> Response:
    return FileResponse(STATIC / "index.html")


ROUTES: list[BaseRoute] = [
    Route("/", page, methods=["GET"]),
    Mount("/static", StaticFiles(directory=STATIC)),
    Route("/playground/domains", domains, methods=["GET"]),
    Route("/playground/domains/{name}", domain, methods=["GET"]),
    Route("/playground/compile", compile_edited, methods=["POST"]),
    Route("/playground/convert", convert, methods=["POST"]),
    Route("/playground/recognised", recognised, methods=["POST"]),
]
