"""The faces of a converter on the network: OpenAI's API, OpenCUI's protocol, a page to play on.

The only package that imports the web framework (Starlette, uvicorn); ``pip install
'constrained_du[server]'`` brings it. ``constrained-du serve DIR`` runs it.
"""

from __future__ import annotations

from constrained_du.server.application import application
from constrained_du.server.catalogue import Catalogue
from constrained_du.server.options import ANY, Limits, Options
from constrained_du.server.running import run

__all__ = ["ANY", "Catalogue", "Limits", "Options", "application", "run"]
