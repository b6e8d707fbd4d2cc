"""A deterministic grammar-constrained decoder engine for dialog understanding on the device."""

from constrained_du.converter import Converter
from constrained_du.errors import (
    ArtifactError,
    ArtifactMismatchError,
    ArtifactVersionError,
    CandidateError,
    ConstrainedDuError,
    ContextOverflowError,
    DecodeError,
    ExemplarError,
    GrammarError,
    InputError,
    ModelError,
    NotFinalizedError,
    SpecError,
    ToolError,
    UnsupportedSchemaError,
)  # fmt: skip
from constrained_du.session import Session, Turn
from constrained_du.specs.spec import SpecWarning
from constrained_du.types import DO_NOT_UNDERSTAND, Alternative, Call, Explanation, Result, Span, Stats

__version__ = "0.1.0"

__all__ = [
    "DO_NOT_UNDERSTAND", "Alternative", "ArtifactError", "ArtifactMismatchError", "ArtifactVersionError", "Call",
    "CandidateError", "ConstrainedDuError", "ContextOverflowError", "Converter", "DecodeError", "ExemplarError",
    "Explanation", "GrammarError", "InputError", "ModelError", "NotFinalizedError", "Result", "Session", "Span",
    "SpecError", "SpecWarning", "Stats", "ToolError", "Turn", "UnsupportedSchemaError",
]  # fmt: skip
