"""How serving engines want a grammar: the field of the request, and the notation in it.

| field | engine | notation |
|---|---|---|
| ``grammar`` | llama.cpp's ``llama-server``, llama-cpp-python's server, others built on llama.cpp | GBNF |
| ``structured_outputs`` | vLLM | regex |
| ``guided_regex`` | vLLM before 0.12 | regex |
| ``regex``, ``ebnf`` | SGLang | regex, GBNF |

Each field comes with what switches the engine's own penalties off, and, where it can be
asked, its memory of earlier prompts, by which near ties would depend on who asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from constrained_du.errors import GrammarError
from constrained_du.grammar.emit import to_gbnf, to_regex
from constrained_du.grammar.grammar import Grammar
from constrained_du.types import JsonValue

Written = Callable[[Grammar], dict[str, JsonValue]]

FIELDS: Mapping[str, Written] = {
    "grammar": lambda grammar: {"grammar": to_gbnf(grammar), "repeat_penalty": 1.0, "cache_prompt": False},
    "structured_outputs": lambda grammar: {"structured_outputs": {"regex": _regex(grammar)}, "repetition_penalty": 1.0},
    "guided_regex": lambda grammar: {"guided_regex": _regex(grammar), "repetition_penalty": 1.0},
    "regex": lambda grammar: {"regex": _regex(grammar), "repetition_penalty": 1.0},
    "ebnf": lambda grammar: {"ebnf": to_gbnf(grammar), "repetition_penalty": 1.0},
}
"""What a request has beside prompt and model, by the field's name."""

USUAL = "grammar"
OF_OWNER: Mapping[str, str] = {"vllm": "structured_outputs", "sglang": "regex", "llamacpp": "grammar"}
"""What engines call themselves in ``owned_by`` of their list of models; others are asked in GBNF."""


def _regex(grammar: Grammar) -> str:
    try:
        return to_regex(grammar)
    except GrammarError as problem:
        raise GrammarError(f"this engine is given a regex, and there is none: {problem}; or an engine that takes GBNF") from None
