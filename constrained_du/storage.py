"""What a converter has compiled, as an artifact and back.

Joins the domain and the prepared evidence with the disk; knows which parts there are and
that they fit each other, not how bytes are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constrained_du.artifact import Artifact
from constrained_du.backend import Prefix
from constrained_du.domain import Domain
from constrained_du.errors import ArtifactError, ConstrainedDuError
from constrained_du.exemplars import Exemplar, read_exemplars
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.retrieval import Retrieval
from constrained_du.scoring import Prepared
from constrained_du.spec import read_specs
from constrained_du.terms import TermIndex
from constrained_du.types import JsonValue


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model file an artifact was made for."""

    name: str
    digest: str

    def to_json(self) -> dict[str, JsonValue]:
        return {"name": self.name, "sha256": self.digest}

    @classmethod
    def from_json(cls, value: JsonValue) -> ModelIdentity | None:
        return cls(str(value["name"]), str(value["sha256"])) if isinstance(value, dict) else None


def pack(domain: Domain, prepared: Prepared, about: Mapping[str, JsonValue], texts: Mapping[str, str]) -> Artifact:
    prefixes = {"direct": prepared.direct, "generic": prepared.generic}
    prefixes |= {f"channel-{index}": prefix for index, prefix in enumerate(prepared.channels)}
    arrays: dict[str, NDArray[Any]] = {"bias": np.array(prepared.bias, np.float64)}
    arrays |= {f"slots.{index}": vectors for index, vectors in enumerate(prepared.slots)}
    vocabularies: dict[str, list[str]] = {}
    for name, retrieval in _retrievals(prepared).items():
        arrays |= {f"{name}.{key}": array for key, array in _retrieval_arrays(retrieval).items()}
        vocabularies[name] = list(retrieval.terms.vocabulary)
    documents: dict[str, JsonValue] = {
        "specs.json": [dict(function.native) for function in domain.functions],
        "exemplars.json": _written(domain.exemplars),
        "recognizers.json": {
            "recognizers": {kind: recognizer.to_native() for kind, recognizer in domain.recognizers.items()},
            "slots": dict(domain.slot_types),
        },
        "terms.json": vocabularies,
        "tokens.json": {name: list(prefix.tokens) for name, prefix in prefixes.items()},
    }
    return Artifact(about, documents, texts, arrays, {name: prefix.state for name, prefix in prefixes.items()})


def unpack_domain(artifact: Artifact, strings_free: bool) -> Domain:
    try:
        functions = tuple(read_specs(artifact.documents["specs.json"], strings_free=strings_free))
        recognizers, slot_types = read_recognizers(artifact.documents["recognizers.json"])
        slots = {function.label: frozenset(function.slot) for function in functions}
        exemplars = read_exemplars(artifact.documents["exemplars.json"], slots) if functions else []
    except ArtifactError:
        raise
    except (ConstrainedDuError, KeyError, TypeError, ValueError) as problem:
        raise ArtifactError(f"the artifact's documents do not fit this version ({problem}) - finalize it again") from None
    return Domain(functions, tuple(exemplars), recognizers, slot_types)


def unpack_prepared(artifact: Artifact, domain: Domain) -> Prepared:
    try:
        tokens = artifact.documents["tokens.json"]

        def prefix(name: str) -> Prefix:
            return Prefix(tuple(tokens[name]), artifact.blobs[name])

        channels = tuple(prefix(f"channel-{index}") for index in range(len(domain.functions)))
        found = {
            name: _retrieval(artifact, name, len(domain.functions)) for name in ("portraits", "names", "retrieval")
        }
        bias = tuple(artifact.arrays["bias"].tolist())
        slots = tuple(artifact.arrays[f"slots.{index}"] for index in range(len(channels)) if "slots.0" in artifact.arrays)
        return Prepared(prefix("direct"), prefix("generic"), channels, bias, slots=slots, **found)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise ArtifactError(f"the artifact's parts do not fit each other ({problem!r}) - finalize it again") from None


def _retrievals(prepared: Prepared) -> dict[str, Retrieval]:
    return {"portraits": prepared.portraits, "names": prepared.names, "retrieval": prepared.retrieval}


def _retrieval_arrays(retrieval: Retrieval) -> dict[str, NDArray[Any]]:
    terms = retrieval.terms
    arrays: dict[str, NDArray[Any] | None] = {
        "idf": terms.idf, "starts": terms.starts, "columns": terms.columns, "term_weights": terms.weights,
        "descriptions": retrieval.descriptions, "exemplars": retrieval.exemplars, "owners": retrieval.owners,
        "weights": retrieval.weights,
    }  # fmt: skip
    return {name: array for name, array in arrays.items() if array is not None}


def _retrieval(artifact: Artifact, name: str, functions: int) -> Retrieval:
    part = {key.removeprefix(f"{name}."): a for key, a in artifact.arrays.items() if key.startswith(f"{name}.")}
    vocabulary = {term: index for index, term in enumerate(artifact.documents["terms.json"][name])}
    terms = TermIndex(
        vocabulary, part["idf"], part["starts"], part["columns"], part["term_weights"], functions
    )
    vectors = {key: part.get(key) for key in ("descriptions", "exemplars", "owners", "weights")}
    return Retrieval(functions, terms, **vectors)


def _written(exemplars: tuple[Exemplar, ...]) -> JsonValue:
    """Opendu's form, one entry an exemplar, the order kept."""
    entries = []
    for exemplar in exemplars:
        entry: dict[str, JsonValue] = {"owner": exemplar.function, "template": exemplar.text, "owner_mode": exemplar.mode}
        if exemplar.context is not None:
            entry["context_frame"], slot = exemplar.context
            if slot is not None:
                entry["context_slot"] = slot
        if exemplar.arguments:
            entry["arguments"] = dict(exemplar.arguments)
        entries.append(entry)
    return json.loads(json.dumps(entries))
