"""The API: build a converter from specs, finalize it, ask it.

Holds what the developer has said so far and, once finalized, the engine that answers. What
is checked here raises before anything has changed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from constrained_du import loading
from constrained_du.answers.engine import Engine
from constrained_du.answers.remote_engine import RemoteEngine, together
from constrained_du.domain.conversation import check_free, conversation_exemplars, conversation_specs
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import Request, read_request, spread
from constrained_du.domain.sayable import is_sayable
from constrained_du.errors import ArtifactError, ArtifactMismatchError, GrammarError, InputError, NotFinalizedError, SpecError
from constrained_du.functions.preparing import Prepared, Progress, prepare
from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf
from constrained_du.grammar.grammar import Grammar
from constrained_du.loading import AUTO, Address, Settings
from constrained_du.recognizers.lists import read_recognizers
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.instances import CONVERSATION
from constrained_du.specs.spec import SpecWarning, read_specs
from constrained_du.storage import artifact as artifacts
from constrained_du.storage import storage
from constrained_du.types import JsonValue, Result

DEFAULT_MODEL = "smollm2-135m-instruct"


class _Loader:
    """``load_from_disk`` on the class makes a converter; on an instance it fills that one."""

    def __get__(self, instance: Converter | None, owner: type[Converter]) -> Callable[..., Converter]:
        def load_from_disk(
            path: str | os.PathLike[str],
            *,
            model: str | os.PathLike[str] | None = None,
            embedder: str | os.PathLike[str] | None = AUTO,
            threads: int | None = None,
            gpu_layers: int = 0,
            caution: float | None = None,
        ) -> Converter:
            """The converter that ``finalize`` wrote to ``path``.

            ``model`` and ``embedder`` say where the files are now, if they moved; another
            file than the artifact was made for is an ArtifactMismatchError. Raises the
            ArtifactError that fits for anything that is not a whole artifact.
            """
            loaded = owner._load(Path(path), model, embedder, threads, gpu_layers, caution)
            if instance is None:
                return loaded
            instance.__dict__.update(loaded.__dict__)
            return instance

        return load_from_disk


class Converter:
    """Turns utterances into calls of a developer's functions, or ``do_not_understand``.

    ``model`` is a name in the registry or the path of a GGUF file; nothing is downloaded. Or the
    address of a model in a serving engine (``http://host:port/v1#model``), which decodes greedily.
    ``embedder``: likewise, ``None`` for none; by default the registry's if it was pulled.
    ``strings``: ``"verbatim"`` (spans of the utterance) or ``"free"`` (generated).
    ``operators``: see ``Call.operators``. ``caution``: the rate of wrong calls to tolerate,
    0 (refuse unless certain) to 1 (always try); by default the likeliest answer is given.
    ``decoder``: ``"exact"`` compares whole calls, ``"greedy"`` decodes token by token.
    ``threads``, ``gpu_layers`` (-1: all), ``context`` (tokens) say how the model is run.
    """

    load_from_disk = _Loader()

    def __init__(
        self,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        *,
        embedder: str | os.PathLike[str] | None = AUTO,
        strings: str = "verbatim",
        operators: bool = False,
        caution: float | None = None,
        decoder: str = "exact",
        threads: int | None = None,
        gpu_layers: int = 0,
        context: int = 3072,
    ) -> None:
        self._settings = Settings(
            model, embedder, strings, operators, caution, decoder, threads, gpu_layers, context
        ).checked()
        self._model = loading.find_model(self._settings)
        self._embedder = loading.find_embedder(self._settings)
        self._domain = Domain()
        self._engine: Engine | RemoteEngine | None = None
        self._functions: dict[str, Callable[..., Any]] = {}

    @classmethod
    def from_functions(cls, *functions: Callable[..., Any], **options: Any) -> Converter:
        """A converter of Python functions, still to be finalized; ``result.dispatch()`` calls them."""
        converter = cls(**options).add_function_specs(list(functions))
        converter._functions = dict(zip(converter.labels, functions, strict=True))
        return converter

    # -- building ------------------------------------------------------------------------

    def add_function_specs(self, specs: object) -> Converter:
        """Adds functions from any source (see the README); all or none of them."""
        found = read_specs(specs, self._domain.index, self._settings.strings == "free")
        self._change(replace(self._domain, functions=(*self._domain.functions, *found)))
        return self

    def add_conversation_functions(self, language: str = "en", only: Sequence[str] | None = None) -> Converter:
        """Switches on the built-in functions of a conversation (abort, repeat, help, yes, no, a pick …).

        ``language`` is ``"en"``, ``"ja"`` or ``"zh"``; once more with another one adds its
        exemplars. ``only`` names those that are wanted; ``change_slot_value`` comes only so.
        A function of yours with the label of one of them is a SpecError.
        """
        specs = conversation_specs(language, only)
        labels = [spec["label"] for spec in specs]
        check_free(self._domain, labels)
        found = read_specs([spec for spec in specs if spec["label"] not in self._domain.index], self._domain.index)
        domain = replace(self._domain, functions=(*self._domain.functions, *found))
        exemplars = read_exemplars(conversation_exemplars(language, labels), domain.slots_of)
        new = [exemplar for exemplar in exemplars if exemplar not in domain.exemplars]
        self._change(replace(domain, exemplars=(*domain.exemplars, *new)))
        return self

    def add_exemplars(self, exemplars: object) -> Converter:
        """Adds exemplars in OpenCUI's or opendu's format; their functions must be there."""
        found = read_exemplars(exemplars, self._domain.slots_of)
        self._change(replace(self._domain, exemplars=(*self._domain.exemplars, *found)))
        return self

    def add_recognizers(self, recognizers: object) -> Converter:
        """Adds named value lists and patterns; a type that is there already is replaced."""
        found, slot_types = read_recognizers(recognizers)
        self._change(replace(
            self._domain,
            recognizers={**self._domain.recognizers, **found},
            slot_types={**self._domain.slot_types, **slot_types},
        ))  # fmt: skip
        return self

    def _change(self, domain: Domain) -> None:
        self._domain = domain
        self._engine = None

    def finalize(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        state: bool = True,
        progress: Progress | None = None,
    ) -> Converter:
        """Does everything that needs no utterance, and writes it to a directory, if given.

        The write is atomic. An existing ``path`` is an ArtifactError unless ``overwrite``.
        ``state=False`` leaves prefix states out: a small artifact, slower answers.
        """
        target = None if path is None else Path(path)
        if target is not None and target.exists() and not overwrite:
            raise ArtifactError(f"{target} exists - choose another directory or pass overwrite=True")
        if not self._domain.functions:
            raise SpecError("$", "there is no function - add_function_specs first")
        self._warn_of_silent_types()
        prepared = None if isinstance(self._model, Address) else self._prepared(self._model, progress, state)
        engine = self._running(prepared)
        if target is not None:
            about = {
                "model": storage.ModelIdentity(self._model.name, loading.digest(self._model)).to_json(),
                "embedder": None if self._embedder is None else storage.ModelIdentity(
                    self._embedder.name, loading.digest(self._embedder)).to_json(),
                "settings": self._settings.to_json(),
            }  # fmt: skip
            packed = storage.pack(self._domain, prepared, about, self._readable())
            artifacts.write(packed, target, overwrite)
        self._engine = engine
        return self

    def _prepared(self, model: loading.ModelFile, progress: Progress | None, state: bool) -> Prepared:
        backend = loading.backend(model, self._settings)
        embedder = loading.embedder(self._embedder, self._settings)
        with backend.exclusive():
            return prepare(self._domain, backend, embedder, progress, state)

    def _running(self, prepared: Prepared | None) -> Engine | RemoteEngine:
        """The engine; ``prepared`` is None for a model at an address."""
        if prepared is None or isinstance(self._model, Address):
            assert isinstance(self._model, Address)
            return RemoteEngine(self._domain, loading.serving(self._model, self._settings))
        backend = loading.backend(self._model, self._settings)
        embedder = loading.embedder(self._embedder, self._settings)
        generator = loading.generator(backend, self._settings)
        return Engine(self._domain, backend, embedder, prepared, self._settings, generator)

    def _warn_of_silent_types(self) -> None:
        for function in self._domain.functions:
            if CONVERSATION in function.extras:
                continue
            for kind in sorted(function.entity_types - set(self._domain.recognizers)):
                warnings.warn(
                    f"{function.label!r}: the type {kind!r} has no recognizer; it is filled only where a request "
                    f"brings entities for it", SpecWarning, stacklevel=3,
                )  # fmt: skip

    def _readable(self) -> dict[str, str]:
        """Grammars for a person to read: of the functions, before any utterance."""
        try:
            return {"grammar.gbnf": to_gbnf(self.grammar("…"))}
        except GrammarError:
            return {}

    @classmethod
    def _load(
        cls,
        path: Path,
        model: str | os.PathLike[str] | None,
        embedder: str | os.PathLike[str] | None,
        threads: int | None,
        gpu_layers: int,
        caution: float | None,
    ) -> Converter:
        stored = artifacts.read(path)
        settings = Settings.from_json(stored.about.get("settings"), model, embedder, threads, gpu_layers, caution)
        made_for = storage.ModelIdentity.from_json(stored.about.get("model"))
        made_with = storage.ModelIdentity.from_json(stored.about.get("embedder"))
        converter = cls.__new__(cls)
        converter._functions = {}
        converter._settings = settings.with_names(made_for, made_with)
        converter._model = loading.find_model(converter._settings)
        converter._embedder = loading.find_embedder(converter._settings)
        _check(path, "model", made_for, converter._model)
        _check(path, "embedder", made_with, converter._embedder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpecWarning)  # said when it was compiled
            converter._domain = storage.unpack_domain(stored, settings.strings == "free")
        remote = isinstance(converter._model, Address)
        prepared = None if remote else storage.unpack_prepared(stored, converter._domain)
        converter._engine = converter._running(prepared)
        return converter

    # -- asking --------------------------------------------------------------------------

    def convert(
        self,
        utterance: str,
        entities: Mapping[str, Sequence[Any]] | None = None,
        expectations: Sequence[Any] | None = None,
        history: Sequence[str] | None = None,
        now: datetime | None = None,
        functions: Sequence[str] | None = None,
        tool_choice: str | Mapping[str, Any] | None = "auto",
        max_calls: int = 1,
        n_best: int = 1,
        *,
        expections: Sequence[Any] | None = None,
    ) -> Result:
        """What the user said as calls of the functions; see the contract of each argument in the README."""
        engine = self._ready()
        result = engine.answer(self._request(
            utterance, entities, expectations if expectations is not None else expections, history, now, functions,
            tool_choice, max_calls, n_best,
        ))  # fmt: skip
        return replace(result, functions=self._functions) if self._functions else result

    def _request(self, *arguments: Any) -> Request:
        return read_request(self._domain, *arguments)

    def _ready(self) -> Engine | RemoteEngine:
        if self._engine is None:
            raise NotFinalizedError("nothing is compiled yet - call finalize() or load_from_disk() first")
        return self._engine

    def convert_batch(self, utterances: Sequence[str], **arguments: Any) -> list[Result]:
        """``convert`` for each utterance; each argument one value, or a list of as many.

        A model at an address is asked for many at once, which its engine evaluates together.
        """
        if isinstance(utterances, str) or not isinstance(utterances, Sequence):
            raise InputError(f"utterances is a list of texts, not {utterances!r}")
        spreads = {name: spread(name, value, len(utterances)) for name, value in arguments.items()}
        requests = [
            {name: values[number] for name, values in spreads.items()} for number in range(len(utterances))
        ]
        asks = [partial(self.convert, text, **own) for text, own in zip(utterances, requests, strict=True)]
        return together(asks, self._ready().at_once)

    async def aconvert(self, utterance: str, **arguments: Any) -> Result:
        """``convert`` in a thread of its own, for event loops."""
        import asyncio  # half a megabyte that most who load an artifact never need

        return await asyncio.to_thread(self.convert, utterance, **arguments)

    def accepts(
        self,
        call: Mapping[str, JsonValue],
        utterance: str,
        entities: Mapping[str, Sequence[Any]] | None = None,
        expectations: Sequence[Any] | None = None,
        now: datetime | None = None,
    ) -> bool:
        """Whether ``convert`` could return this call for this utterance, with some model.

        Evaluates no model. Plain strings are judged one by one; candidates, numbers and
        times must be free for their slots together.
        """
        request = self._request(utterance, entities, expectations, None, now)
        return is_sayable(call, self._domain, self._binder(request))

    def grammar(
        self, utterance: str, entities: Mapping[str, Sequence[Any]] | None = None, now: datetime | None = None,
        max_calls: int = 1, functions: Sequence[str] | None = None,
    ) -> Grammar:  # fmt: skip
        """The grammar of all answers to an utterance; ``emit`` writes it."""
        request = self._request(utterance, entities, None, None, now, functions, "auto", max_calls)
        binder = self._binder(request)
        return Grammar(tuple(binder.bind(self._domain.functions[i]) for i in request.allowed), request.max_calls)

    def _binder(self, request: Request) -> Binder:
        return Binder(request.utterance, request.candidates, self._domain.ontology, request.now)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the functions, in spec order."""
        return tuple(self._domain.index)

    @property
    def specs(self) -> tuple[Mapping[str, JsonValue], ...]:
        """The functions in OpenCUI's form, other keys (``x-link``, …) included."""
        return tuple(function.native for function in self._domain.functions)

    @property
    def domain(self) -> Domain:
        """All that was added to it, as it was read."""
        return self._domain

    @property
    def settings(self) -> Settings:
        """The options with which it was made and is run."""
        return self._settings


def _check(
    path: Path, what: str, wanted: storage.ModelIdentity | None, found: loading.ModelFile | Address | None
) -> None:
    if wanted is None:
        return
    if found is None:
        raise ArtifactMismatchError(
            f"{path} was made with the {what} {wanted.name!r}, which is not here - "
            f"constrained-du models pull {wanted.name}, or finalize again without it"
        )
    if loading.digest(found) != wanted.digest:
        raise ArtifactMismatchError(
            f"{path} was made for the {what} {wanted.name!r} ({wanted.digest[:12]}…), and {found.place} is another "
            f"one - give the right one with {what}=, or finalize again"
        )

