"""The routes put together behind the gate, and failures turned into answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from constrained_du import __version__
from constrained_du.errors import ConstrainedDuError
from constrained_du.server import openai_face, opencui_face, playground
from constrained_du.server.bodies import refuse, reply
from constrained_du.server.catalogue import Catalogue
from constrained_du.server.gate import Gate
from constrained_du.server.options import Options
from constrained_du.server.refusals import Refusal, of_bug, of_failure
from constrained_du.server.state import State, state_of

TOLD = {404: "there is no such path here", 405: "this path does not take that method"}


def application(catalogue: Catalogue, options: Options) -> Starlette:
    """The ASGI application; any ASGI server can run it."""
    state = State(catalogue, options.checked())

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        state.close()

    routes: list[BaseRoute] = [Route("/healthz", healthz), *openai_face.ROUTES, *opencui_face.ROUTES]
    if options.playground:
        routes += playground.ROUTES
    handlers = {
        Refusal: _refused,
        ConstrainedDuError: _failed,
        HTTPException: _unroutable,
        Exception: _broken,
    }
    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers=handlers, middleware=[Middleware(Gate, options=options)]
    )
    app.state.constrained_du = state
    return app


async def healthz(http: Request) -> Response:
    return reply({"status": "ok", "version": __version__, "models": list(state_of(http).catalogue.names)})


async def _refused(http: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refusal)
    return refuse(problem)


async def _failed(http: Request, problem: Exception) -> Response:
    assert isinstance(problem, ConstrainedDuError)
    utterance = "utterance" if http.url.path.startswith("/v1/predict/") else "messages"
    return refuse(of_failure(problem, utterance))


async def _unroutable(http: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    told = TOLD.get(problem.status_code, problem.detail)
    return refuse(Refusal(problem.status_code, told, code="not_found", headers=problem.headers))


async def _broken(http: Request, problem: Exception) -> Response:
    return refuse(of_bug(problem))
