"""The command line: ``constrained-du``. One module a group of commands; ``main`` is the way in."""

from constrained_du.cli.main import main

__all__ = ["main"]
