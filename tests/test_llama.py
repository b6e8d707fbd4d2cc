"""The real model behind its protocol: exact tries, saved states, plain tokens, named errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constrained_du.decoding.backend import Prefix, Query
from constrained_du.errors import ContextOverflowError, ModelError
from constrained_du.llama import LlamaBackend, LlamaEmbedder, quantize
from constrained_du.models.models import locate

MARKERS = [
    "<|im_start|>system", "<|im_end|>", "</s>", "<s>", "[INST]", "<<SYS>>", "<|eot_id|>", "<|start_header_id|>",
    "<end_of_turn>", "<start_of_turn>user", "<|endoftext|>", "<pad>", "<unk>", "</think>", "<|assistant|>", "<bos>",
]  # fmt: skip


@pytest.fixture(scope="module")
def backend(model_path: Path) -> LlamaBackend:
    return LlamaBackend(model_path, context=1024)


def prefix_of(backend: LlamaBackend, text: str) -> Prefix:
    return backend.prefix([*backend.start_tokens, *backend.encode(text)])


@pytest.mark.parametrize("marker", MARKERS)
def test_markers_in_a_text_are_plain_text(backend: LlamaBackend, marker: str) -> None:
    tokens = backend.encode(f"turn on {marker} the lamp")
    assert not any(backend.tokens.is_control(token) for token in tokens)
    assert b"".join(map(backend.piece, tokens)).decode().strip() == f"turn on {marker} the lamp"


@pytest.mark.parametrize("text", ["", "naïve café", "東京の天気", "😀👍🏽", "a\u0301\u0302", "tab\tand\nline"])
def test_the_bytes_of_the_tokens_are_the_text(backend: LlamaBackend, text: str) -> None:
    assert b"".join(map(backend.piece, backend.encode(text))).decode() == text


def test_a_trie_scores_what_its_branches_score_alone(backend: LlamaBackend) -> None:
    prefix = prefix_of(backend, 'The user says: "play some jazz". The user wants to')
    branches = [tuple(backend.encode(t)) for t in (" play music", " play a game", " pay a bill", " hear the news")]
    together = backend.score([Query(prefix, tuple(branches))])[0]
    for branch, scores in zip(branches, together, strict=True):
        alone = backend.score([Query(prefix, (branch,))])[0][0]
        assert np.allclose(scores, alone, atol=2e-2)
        assert all(score < 0 for score in scores)


def test_given_tokens_are_evaluated_and_not_scored(backend: LlamaBackend) -> None:
    prefix = prefix_of(backend, "Once upon")
    given, rest = backend.encode(" a time there"), backend.encode(" was a king")
    whole = backend.score([Query(prefix, ((*given, *rest),))])[0][0]
    part = backend.score([Query(prefix, ((*given, *rest),), len(given))])[0][0]
    assert np.allclose(whole[len(given) :], part, atol=1e-4)


def test_a_prefix_without_its_state_gives_the_same_scores(backend: LlamaBackend) -> None:
    prefix = prefix_of(backend, "The capital of France")
    branch = (tuple(backend.encode(" is Paris")),)
    with_state = backend.score([Query(prefix, branch)])
    without = backend.score([Query(Prefix(prefix.tokens, b""), branch)])
    assert np.allclose(with_state, without, atol=2e-2)


def test_nothing_of_one_request_is_left_for_the_next(backend: LlamaBackend) -> None:
    prefix = prefix_of(backend, "The lamp")
    query = Query(prefix, (tuple(backend.encode(" is on")), tuple(backend.encode(" is off"))))
    first = backend.score([query])
    backend.score([Query(prefix_of(backend, "Something else entirely"), (tuple(backend.encode(" happens")),))])
    backend.next_logits(prefix, backend.encode(" hums and"))
    assert backend.score([query]) == first


def test_counts_are_exact(backend: LlamaBackend) -> None:
    prefix = prefix_of(backend, "One two")
    branch = tuple(backend.encode(" three four five"))
    with backend.exclusive() as count:
        backend.score([Query(prefix, (branch,))])
        # the last token of the prefix, and each token of the branch but the last
        assert (count.tokens, count.passes) == (len(branch), 1)


def test_forced_tokens_are_evaluated_in_one_pass(backend: LlamaBackend) -> None:
    prefix = prefix_of(backend, "A")
    tokens = backend.encode(" long run of words that is known beforehand")
    with backend.exclusive() as count:
        backend.next_logits(prefix, tokens)
        assert count.passes == 1
        backend.next_logits(prefix, [*tokens, tokens[0]])
        assert (count.passes, count.tokens) == (2, 1 + len(tokens) + 1)


def test_memory_grows_with_what_is_asked_and_changes_no_score(model_path: Path) -> None:
    """A long text in between, and tokens decoded across the end of the first memory, cost and give the same."""
    grown, small = LlamaBackend(model_path), LlamaBackend(model_path)
    prefix, words = prefix_of(small, "The lamp"), small.encode(" is off" * 400)
    queries = [Query(prefix, (tuple(words[:20]), (*words[:9], 7)))]
    first = small.score(queries)
    grown.prefix(words[:1_600])
    assert grown.score(queries) == first
    costs, logits = [], []
    for backend in (small, grown):
        with backend.exclusive() as count:
            backend.next_logits(prefix, words[:700])
            logits.append(backend.next_logits(prefix, words[:790]).tobytes())
            costs.append((count.tokens, count.passes))
    assert logits[0] == logits[1] and costs[0] == costs[1] == (791, 3)
    assert small.score(queries) == first


def test_what_does_not_fit_is_an_error_that_counts_tokens(backend: LlamaBackend) -> None:
    with pytest.raises(ContextOverflowError, match=r"\d+ tokens .* 1024"):
        backend.prefix(backend.encode("word " * 1200))
    query = Query(prefix_of(backend, "x"), (tuple(backend.encode("word " * 1100)),))
    with pytest.raises(ContextOverflowError, match="tokens"):
        backend.score([query])
    assert backend.score([Query(prefix_of(backend, "x"), (tuple(backend.encode(" y")),))])


def test_an_embedder_is_no_language_model_and_a_text_file_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="embedder"):
        LlamaBackend(locate("all-minilm-l6-v2"))
    rubbish = tmp_path / "model.gguf"
    rubbish.write_text("this is no model")
    with pytest.raises(ModelError, match=str(rubbish)):
        LlamaBackend(rubbish)


def test_equal_texts_have_equal_unit_vectors_and_paraphrases_are_close() -> None:
    embedder = LlamaEmbedder(locate("all-minilm-l6-v2"))
    first, again = embedder.embed("switch on the light"), embedder.embed("switch on the light")
    assert first.tobytes() == again.tobytes()
    assert np.isclose(np.linalg.norm(first), 1.0, atol=1e-5)
    near, far = embedder.embed("turn the lamp on"), embedder.embed("transfer money to my sister")
    assert first @ near > 0.6 > first @ far + 0.2


def test_an_unknown_quantisation_is_refused_by_name(model_path: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="Q3_XYZ"):
        quantize(model_path, tmp_path / "x.gguf", "Q3_XYZ", 1)
