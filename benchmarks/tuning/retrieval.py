"""How exemplars and utterances are best compared: function accuracy of each kind of text, no language model.

``python benchmarks/tuning/retrieval.py [--data DIR] [--most 350] [--embedder NAME|FILE]``: TF-IDF and a
classifier over embeddings, of exemplars with the names of their slots and without, and of utterances
with their names and without (``retrieval.frame_of``).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from constrained_du.decoding import prompt
from constrained_du.functions import classifier
from constrained_du.functions.retrieval import frame_of
from constrained_du.llama import LlamaEmbedder
from constrained_du.models.models import locate
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.text.terms import TermIndex

SETS = (("snips", "10"), ("sgd", "10"), ("home-en", "3"), ("xsid-en", "full"), ("xsid-zh", "full"), ("xsid-ja", "full"))


def row(root: Path, name: str, shown: str, most: int, embedder: LlamaEmbedder) -> str:
    functions = list(read_specs(root / name / "functions.json"))
    index = {function.label: number for number, function in enumerate(functions)}
    exemplars = read_exemplars(
        root / name / f"exemplars-{shown}.json", {f.label: frozenset(f.slot) for f in functions}
    )
    lines = (root / name / "dev.jsonl").read_text("utf-8").splitlines()
    asked = [line for line in map(json.loads, lines) if len(line["calls"]) == 1][:most]
    gold = np.array([index[line["calls"][0]["name"]] for line in asked])
    owners = [*range(len(functions)), *(index[exemplar.function] for exemplar in exemplars)]
    said = [line["utterance"] for line in asked]
    vectors = np.stack([embedder.embed(text) for text in said])
    framed = vectors + np.stack([embedder.embed(frame_of(text)) for text in said])
    framed /= np.linalg.norm(framed, axis=1, keepdims=True)

    def share(scores: Any) -> str:
        return f"{float(np.mean(np.argmax(scores, axis=1) == gold)):.3f}"

    found = []
    for text_of in (prompt.exemplar_text, prompt.exemplar_frame):
        texts = [*map(prompt.summary, functions), *map(text_of, exemplars)]
        terms = TermIndex.fit(texts, owners, len(functions))
        weights = classifier.fit(np.stack([embedder.embed(text) for text in texts]), np.array(owners), len(functions))
        found += [share([terms.similarity(text) for text in said])]
        found += [share([classifier.logits(weights, vector) for vector in kind]) for kind in (vectors, framed)]
    return " | ".join(["", f"{name}:{shown}", str(len(asked)), *found, ""]).strip()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--most", type=int, default=350)
    parser.add_argument("--embedder", default="all-minilm-l6-v2")
    chosen = parser.parse_args(arguments)
    if not chosen.data.is_dir():
        print(f"no data in {chosen.data} - give the folder of the sets with --data", file=sys.stderr)
        return 2
    path = Path(chosen.embedder)
    embedder = LlamaEmbedder(path if path.is_file() else locate(chosen.embedder))
    kinds = ["terms", "embedder", "embedder, names half out"]
    columns = ["set", "lines", *(f"with slot names: {kind}" for kind in kinds), *(f"without: {kind}" for kind in kinds)]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for name, shown in SETS:
        print(row(chosen.data, name, shown, chosen.most, embedder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
