"""What the requests of one server share: options, domains, compiled sets, threads.

The only way from a route to a converter: loading and compiling run on one thread of their
own, so that whoever waits for them does not take the places of those who just ask.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from starlette.requests import Request

from constrained_du.errors import ConstrainedDuError
from constrained_du.loading import Settings
from constrained_du.server.catalogue import Catalogue
from constrained_du.server.compiled import Compiled, Documents, Shelf
from constrained_du.server.crew import Crew
from constrained_du.server.options import Options
from constrained_du.server.refusals import of_bug, of_failure

T = TypeVar("T")


class State:
    def __init__(self, catalogue: Catalogue, options: Options) -> None:
        limits = options.limits
        self.catalogue, self.options = catalogue, options
        self.shelf = Shelf(limits)
        self.crew = Crew("asking", limits.running, limits.waiting)
        self.builders = Crew("compiling", 1, limits.waiting)
        self.started = int(time.time())

    async def loaded(self, name: str) -> Compiled:
        """A domain of the catalogue; a folder that cannot be read is the server's fault."""
        return await self._served(partial(self.catalogue.get, name))

    async def reloaded(self, name: str) -> Compiled:
        return await self._served(partial(self.catalogue.reload, name))

    async def compiled(self, documents: Documents, settings: Settings, specs: str) -> Compiled:
        """A set of functions that a request brings; ``specs`` is what it calls them."""
        found = self.shelf.find(documents.digest(settings))
        if found is not None:
            return found
        try:
            return await self.builders.run(partial(self.shelf.get, documents, settings))
        except ConstrainedDuError as problem:
            raise of_failure(problem, specs=specs) from None

    async def _served(self, work: Callable[[], T]) -> T:
        try:
            return await self.builders.run(work)
        except ConstrainedDuError as problem:
            raise of_bug(problem) from None

    def close(self) -> None:
        self.crew.close()
        self.builders.close()


def state_of(http: Request) -> State:
    return cast(State, http.app.state.constrained_du)
