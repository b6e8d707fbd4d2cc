"""A serving engine on another machine, which decodes under the grammar of each request.

``address`` reads what the user wrote, ``fields`` knows how engines want to be given a grammar,
``serving`` talks to one. The only package that imports httpx, and only when an address is
used; ``pip install 'constrained_du[remote]'`` brings it.
"""

from __future__ import annotations

from constrained_du.remote.address import Address, is_address, read_address
from constrained_du.remote.serving import Completion, Serving, require_http

__all__ = ["Address", "Completion", "Serving", "is_address", "read_address", "require_http"]
