"""One system in a process of its own, which answers one utterance a line: ``peers`` asks it.

Reads JSON lines: first the domain, then utterances; writes one for each. Every peer is used as its own
documentation recommends, warm, greedily, with its prefix cache. Counts what llama.cpp is given by standing
before ``llama_decode``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

MOST = 128  # tokens of an answer
CONTEXT = 3072
Ask = Callable[[str], str]
"""An utterance to the text of a call, or any other text."""
counted = {"tokens": 0, "passes": 0, "inside": 0.0}


def watch(*names: str) -> None:
    """Counts tokens and passes of llama.cpp, and the seconds within it, whoever calls it."""
    import llama_cpp
    from llama_cpp import llama_cpp as low

    def standing_before(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            if name == "llama_decode":
                counted["tokens"] += given[1].n_tokens
                counted["passes"] += 1
            started = perf_counter()
            try:
                return real(*given)
            finally:
                counted["inside"] += perf_counter() - started

        return call

    for name in ("llama_decode", *names):
        wrapped = standing_before(name, getattr(low, name))
        setattr(low, name, wrapped)
        setattr(llama_cpp, name, wrapped)


def schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All calls, as JSON Schema."""
    return {"anyOf": [
        {
            "type": "object", "required": ["name", "arguments"], "additionalProperties": False,
            "properties": {"name": {"const": tool["name"]}, "arguments": {**tool["parameters"], "additionalProperties": False}},
        }
        for tool in tools
    ]}  # fmt: skip


def messages(tools: Sequence[Mapping[str, Any]], utterance: str) -> list[dict[str, str]]:
    listed = "\n".join(f"- {tool['name']}: {tool['description']}" for tool in tools)
    system = f"You call one of these functions, as JSON with name and arguments:\n{listed}"
    return [{"role": "system", "content": system}, {"role": "user", "content": utterance}]


def chat_text(tools: Sequence[Mapping[str, Any]], utterance: str) -> str:
    """The same in the model's chat format (ChatML), for systems that take a text."""
    turns = "".join(f"<|im_start|>{turn['role']}\n{turn['content']}<|im_end|>\n" for turn in messages(tools, utterance))
    return f"{turns}<|im_start|>assistant\n"


def llama(model: str, threads: int, **options: Any) -> Any:
    from llama_cpp import Llama

    watch()
    return Llama(model, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False, **options)


# ---- the systems -----------------------------------------------------------------------


def ours(model: str, threads: int, tools: Sequence[Mapping[str, Any]], embedder: str | None = "auto") -> Ask:
    from tempfile import TemporaryDirectory

    from constrained_du import Converter

    watch("llama_encode", "llama_state_seq_set_data", "llama_memory_seq_cp", "llama_memory_clear", "llama_tokenize",
          "llama_get_logits_ith", "llama_batch_init", "llama_batch_free")  # fmt: skip
    with TemporaryDirectory() as folder:
        made = Converter(model, threads=threads, embedder=embedder).add_function_specs(list(tools))
        made.finalize(Path(folder) / "artifact")
        du = Converter.load_from_disk(Path(folder) / "artifact", threads=threads)
    return lambda utterance: du.convert(utterance)[0].to_json()


def ours_alone(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    return ours(model, threads, tools, embedder=None)


def floor(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    """One batch that holds the utterance and every function's name, on a stored prefix: the least that asks the model."""
    from constrained_du.decoding.backend import Query
    from constrained_du.llama import LlamaBackend

    watch()
    backend = LlamaBackend(Path(model), context=CONTEXT, threads=threads)
    head, tail = 'User: "', '"\nThe user wants to'
    prefix = backend.prefix([*backend.start_tokens, *backend.encode(head)])
    names = [backend.encode(" " + tool["name"].replace("_", " ") + ".") for tool in tools]

    def ask(utterance: str) -> str:
        given = [*backend.encode(utterance), *backend.encode(tail)]
        scores = backend.score([Query(prefix, tuple((*given, *name) for name in names), len(given))])[0]
        best = max(range(len(names)), key=lambda number: sum(scores[number]))
        return json.dumps({"name": tools[best]["name"], "arguments": {}})

    return ask


def chatml(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    engine = llama(model, threads, chat_format="chatml-function-calling")
    offered = [{"type": "function", "function": dict(tool)} for tool in tools]

    def ask(utterance: str) -> str:
        said = [
            {"role": "system", "content": "A chat between a user and an assistant, who calls functions."},
            {"role": "user", "content": utterance},
        ]
        answer = engine.create_chat_completion(said, tools=offered, tool_choice="auto", temperature=0.0, max_tokens=MOST)
        message = answer["choices"][0]["message"]
        if not message.get("tool_calls"):
            return str(message.get("content"))
        call = message["tool_calls"][0]["function"]
        return f'{{"name": {json.dumps(call["name"])}, "arguments": {call["arguments"]}}}'

    return ask


def gbnf_schema(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    engine, form = llama(model, threads), {"type": "json_object", "schema": schema(tools)}

    def ask(utterance: str) -> str:
        answer = engine.create_chat_completion(
            messages(tools, utterance), response_format=form, temperature=0.0, max_tokens=MOST
        )
        return str(answer["choices"][0]["message"]["content"])

    return ask


def gbnf_emitted(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    from llama_cpp import LlamaGrammar

    from constrained_du import Converter
    from constrained_du.grammar.emit import to_gbnf

    engine = llama(model, threads)
    compiler = Converter(model, embedder=None).add_function_specs(list(tools))

    def ask(utterance: str) -> str:
        grammar = LlamaGrammar.from_string(to_gbnf(compiler.grammar(utterance)), verbose=False)
        answer = engine.create_chat_completion(messages(tools, utterance), grammar=grammar, temperature=0.0, max_tokens=MOST)
        return str(answer["choices"][0]["message"]["content"])

    return ask


def outlines(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    import numba  # noqa: F401 - without it Outlines 1.3 swallows an error and constrains nothing
    import outlines as library

    engine = library.from_llamacpp(llama(model, threads))
    generator = library.Generator(engine, library.json_schema(schema(tools)))
    return lambda utterance: str(generator(chat_text(tools, utterance), max_tokens=MOST, temperature=0.0))


def guidance_json(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    import guidance as library

    watch()
    start = library.models.LlamaCpp(model, echo=False, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads)
    grammar = library.json(name="call", schema=schema(tools), temperature=0.0, max_tokens=MOST)
    return lambda utterance: str((start + chat_text(tools, utterance) + grammar)["call"])


def guidance_select(model: str, threads: int, tools: Sequence[Mapping[str, Any]]) -> Ask:
    """The function by ``select``, then each string by ``substring`` of the utterance, or nothing."""
    import guidance as library

    watch()
    start = library.models.LlamaCpp(model, echo=False, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads)
    by_name = {tool["name"]: tool["parameters"]["properties"] for tool in tools}

    def ask(utterance: str) -> str:
        state = start + chat_text(tools, utterance) + '{"name": "' + library.select(list(by_name), name="function")
        name, arguments = state["function"], {}
        state += '", "arguments": {'
        for slot, kind in by_name[name].items():
            if kind.get("type") == "string":
                state += f'"{slot}": "' + library.substring(utterance, name="value") + '", '
                arguments[slot] = state["value"]
            elif "enum" in kind:
                state += f'"{slot}": "' + library.select([str(value) for value in kind["enum"]], name="value") + '", '
                arguments[slot] = state["value"]
        return json.dumps({"name": name, "arguments": arguments})

    return ask


SYSTEMS: dict[str, tuple[str, Callable[[str, int, Sequence[Mapping[str, Any]]], Ask]]] = {
    "constrained_du": ("constrained_du", ours),
    "constrained_du, no embedder": ("constrained_du", ours_alone),
    "the floor: one batch": ("constrained_du", floor),
    "llama-cpp-python chatml-function-calling": ("llama-cpp-python", chatml),
    "llama.cpp GBNF, our grammar": ("llama-cpp-python", gbnf_emitted),
    "llama.cpp GBNF, JSON schema": ("llama-cpp-python", gbnf_schema),
    "Outlines on llama.cpp": ("outlines", outlines),
    "guidance json": ("guidance", guidance_json),
    "guidance select + substring": ("guidance", guidance_select),
}
"""Name of a row → the distribution that it stands for, and how to start it."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print goes elsewhere
    distribution, start = SYSTEMS[sys.argv[1]]
    given = json.loads(sys.stdin.readline())
    try:
        began = perf_counter()
        ask = start(given["model"], given["threads"], given["tools"])
        found = {"version": version(distribution), "start": perf_counter() - began}
    except (ImportError, PackageNotFoundError) as problem:
        found = {"absent": str(problem)}
    except Exception as problem:  # noqa: BLE001 - a peer that fails is a row that says so
        found = {"failed": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(found), file=answers, flush=True)
    for line in sys.stdin if "start" in found else ():
        counted.update(tokens=0, passes=0, inside=0.0)
        began = perf_counter()
        try:
            text = ask(json.loads(line))
        except Exception as problem:  # noqa: BLE001 - counted as an invalid answer
            text = f"{type(problem).__name__}: {problem}"
        print(json.dumps({"text": text, "seconds": perf_counter() - began, **counted}), file=answers, flush=True)


if __name__ == "__main__":
    main()
