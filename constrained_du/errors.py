"""Every way in which this package fails, drawn as one tree.

Each message holds the offending value, the place and a way out. A failure is
never turned into ``do_not_understand``: that is a judgement, not an error.
"""

from __future__ import annotations


class ConstrainedDuError(Exception):
    """The root: any other exception out of the package is a bug."""


class SpecError(ConstrainedDuError):
    """A function spec cannot be read.

    ``path`` is the JSON path of the offending value (``$[2].parameters…``),
    ``problem`` says what is wrong and what to do instead.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{problem} @ {path}")
        self.path = path
        self.problem = problem


class UnsupportedSchemaError(SpecError):
    """A legal schema that this package does not obey: refused, never ignored."""


class ExemplarError(ConstrainedDuError):
    """An exemplar or a recognizer cannot be read, or names what does not exist."""


class CandidateError(ConstrainedDuError):
    """Entities or expectations that do not fit the utterance or the specs."""


class InputError(ConstrainedDuError):
    """An utterance or another argument of a request that is not usable."""


class GrammarError(ConstrainedDuError):
    """A grammar that cannot be written in the wanted notation or is too large."""


class ModelError(ConstrainedDuError):
    """A model file that is missing, corrupt or of the wrong kind."""


class ContextOverflowError(ConstrainedDuError):
    """The request needs more tokens than the context holds; nothing is dropped."""


class DecodeError(ConstrainedDuError):
    """The model gave scores that are not numbers, or its evaluation failed."""


class ArtifactError(ConstrainedDuError):
    """An artifact directory that cannot be written, or is damaged or absent."""


class ArtifactVersionError(ArtifactError):
    """An artifact written in a format that this version does not read."""


class ArtifactMismatchError(ArtifactError):
    """An artifact that was made for another model or embedder."""


class NotFinalizedError(ConstrainedDuError):
    """``convert`` was called before ``finalize`` or ``load_from_disk``."""


class ToolError(ConstrainedDuError):
    """A server of tools (MCP) that cannot be reached, or breaks off."""
