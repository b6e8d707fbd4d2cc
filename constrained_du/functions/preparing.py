"""What is known of functions before anything is said: prefix states, the model's biases, indexes and vectors.

Made once, at ``finalize``; scoring reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from constrained_du.decoding import prompt
from constrained_du.decoding.backend import Backend, Embedder, Prefix, Query
from constrained_du.domain.domain import Domain
from constrained_du.functions.reader import head_of
from constrained_du.functions.retrieval import Retrieval, Vectors
from constrained_du.functions.roles import slot_texts
from constrained_du.slots.places import Place
from constrained_du.slots.senses import embedded
from constrained_du.specs.spec import Function

Progress = Callable[[str, int, int], None]
MAX_STATES = 256 * 2**20  # bytes of prefix states; 1,000 functions of 30 tokens would take 700 MB
MAX_CHANNEL = 256  # tokens of a function's prompt: a longer description is cut at its beginning


@dataclass(frozen=True)
class Prepared:
    """What ``finalize`` evaluates once: prefix states and the model's biases.

    ``bias[i]`` is the mean log-probability of function i's name after content-free
    utterances.
    """

    direct: Prefix
    generic: Prefix
    channels: tuple[Prefix, ...]
    bias: tuple[float, ...]
    portraits: Retrieval
    names: Retrieval
    retrieval: Retrieval
    heads: Mapping[int, Prefix] = field(default_factory=dict)
    """What a taught model reads before every utterance, by function; none for other models."""
    slots: tuple[Vectors, ...] = ()
    """For each function the vectors of its slots (slots, size); empty without an embedder."""
    values: tuple[Vectors, ...] = ()
    """For each function those of the values that its slots list (senses.embedded)."""


def prepare(
    domain: Domain, backend: Backend, embedder: Embedder | None, progress: Progress | None = None, state: bool = True
) -> Prepared:
    """Everything about functions that needs no utterance.

    States are kept up to MAX_STATES bytes (none without ``state``); the prefixes of the
    functions after that are evaluated when they are asked for.
    """
    report = progress or (lambda what, done, of: None)
    functions = domain.functions
    start = list(backend.start_tokens)
    direct = backend.prefix([*start, *backend.encode(prompt.DIRECT_HEAD)])
    generic = backend.prefix([*start, *backend.encode(prompt.GENERIC)])
    channels: list[Prefix] = []
    room = MAX_STATES if state else 0
    for number, function in enumerate(functions):
        tokens = [*start, *backend.encode(prompt.channel(function))][-MAX_CHANNEL:]
        prefix = backend.prefix(tokens) if room > 0 else Prefix(tuple(tokens), b"")
        room -= len(prefix.state)
        channels.append(prefix)
        report("prompts", number + 1, len(functions))
    heads: dict[int, Prefix] = {}
    for index in domain.readable if backend.taught else ():
        tokens = head_of(functions[index], backend)
        heads[index] = backend.prefix(tokens) if room > 0 else Prefix(tuple(tokens), b"")
        room -= len(heads[index].state)
    names = [backend.encode(prompt.direct_choice(function)) for function in functions]
    bias = np.zeros(len(functions))
    for text in prompt.CONTENT_FREE:
        bias += direct_scores(backend, direct, text, names)
    return Prepared(
        direct, generic, tuple(channels), tuple((bias / len(prompt.CONTENT_FREE)).tolist()),
        heads=heads,
        slots=() if embedder is None else tuple(_slot_vectors(function, embedder) for function in functions),
        values=() if embedder is None else tuple(embedded(places_of(domain, f), embedder) for f in functions),
        **retrievals(domain, embedder, report),
    )  # fmt: skip


def retrievals(domain: Domain, embedder: Embedder | None, report: Progress) -> dict[str, Retrieval]:
    """The fitted indexes: what functions say of themselves, their names, and their exemplars."""
    shown = [exemplar for exemplar in domain.exemplars if exemplar.mode != "negative"]
    frames = [(domain.index[exemplar.function], prompt.exemplar_frame(exemplar)) for exemplar in shown]
    named = [(domain.index[exemplar.function], prompt.exemplar_text(exemplar)) for exemplar in shown if exemplar.slots]
    functions = domain.functions
    return {
        "portraits": Retrieval.fit([prompt.portrait(function) for function in functions], [], embedder),
        "names": Retrieval.fit([function.name for function in functions], [], embedder),
        "retrieval": Retrieval.fit(
            [prompt.summary(function) for function in functions], frames, embedder,
            lambda done, of: report("exemplars", done, of), named,
        ),
    }  # fmt: skip


def places_of(domain: Domain, function: Function) -> tuple[Place, ...]:
    return tuple(domain.places[function.label].values())


def _slot_vectors(function: Function, embedder: Embedder) -> Vectors:
    texts = slot_texts(function)
    return np.stack([embedder.embed(text) for text in texts]) if texts else np.zeros((0, embedder.size), np.float32)


def direct_query(backend: Backend, prefix: Prefix, utterance: str, names: Sequence[Sequence[int]]) -> Query:
    given = [*backend.encode(utterance), *backend.encode(prompt.DIRECT_TAIL)]
    return Query(prefix, tuple((*given, *name) for name in names), len(given))


def direct_scores(backend: Backend, prefix: Prefix, utterance: str, names: Sequence[Sequence[int]]) -> list[float]:
    """Log-probability of each name after the utterance."""
    found: list[float] = []
    for start in range(0, len(names), 32):
        query = direct_query(backend, prefix, utterance, names[start : start + 32])
        found += [sum(tokens) for tokens in backend.score([query])[0]]
    return found
