"""Fits the weights of evidence about functions, and of the fallback beside them.

``python benchmarks/tuning/functions.py --data ../shared/data --cache FILE`` gathers evidence for
lines of every set (the right function in the specs), for lines of other sets (to be refused)
and for lines whose function was left out (near misses, to be refused), then prints weights for
``constrained_du/weights/functions.py`` with accuracies under two-fold cross-validation.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from constrained_du.answers.answering import Answering
from constrained_du.decoding.backend import Remembering
from constrained_du.decoding.generation import Generator
from constrained_du.domain.domain import Domain
from constrained_du.domain.requests import read_request
from constrained_du.functions import scoring
from constrained_du.functions.classifier import minimise
from constrained_du.functions.preparing import Prepared, prepare, retrievals
from constrained_du.functions.scoring import FunctionScorer
from constrained_du.llama import LlamaBackend, LlamaEmbedder
from constrained_du.models.models import locate
from constrained_du.specs.exemplars import read_exemplars
from constrained_du.specs.spec import read_specs
from constrained_du.weights import BARE, BY_HAND, BY_HAND_FALLBACK, SHOWN
from constrained_du.weights import OTHER as OTHER_WEIGHTS

SETS = (
    ("snips", "0"), ("snips", "10"), ("sgd", "0"), ("sgd", "10"), ("clinc150", "10"), ("restaurants8k", "10"),
    ("home-en", "3"), ("clinc150", "0"), ("banking77", "0"), ("banking77", "10"), ("xsid-en", "full"),
    ("home-zh", "3"), ("xsid-zh", "full"), ("xsid-ja", "full"), ("bfcl", "0"),
    ("life-zh", "5"), ("phone-zh", "5"), ("car-zh", "5"), ("shop-zh", "5"), ("home-ja", "5"), ("phone-ja", "5"), ("trip-ja", "5"),
)  # fmt: skip
EVERYDAY = Path(__file__).resolve().parent.parent / "everyday"
OTHER = ("home-zh", "xsid-zh", "xsid-ja", "life-zh", "phone-zh", "car-zh", "shop-zh", "home-ja", "phone-ja", "trip-ja")
"""Asked of the multilingual model, and weighed apart; the everyday domains because the public sets are few and alike."""
PUBLIC = 2.0  # weight of a public set beside that of an everyday domain
SCALES = {"similar": 0.1, "terms": 0.1, "portrait terms": 0.1, "exemplar": 0.1, "channel": 4.0, "direct": 2.0}
REFUSED = 0.35  # weight of a line to be refused: they are half of what is gathered and a fifth of what is said
LEFT_OUT = 0.5  # share of the functions that near misses do not find in the specs


def plans_of(only: Sequence[str]) -> list[tuple[str, str]]:
    return [plan for plan in SETS if not only or ":".join(plan) in only]


def gather(root: Path, english: str, threads: int, most: int, known: dict[str, list[dict[str, Any]]], only: Sequence[str],
           save: Any) -> None:  # fmt: skip
    backends: dict[str, LlamaBackend] = {}
    embedder = Remembering(LlamaEmbedder(locate("all-minilm-l6-v2")))
    everything = {name: _lines(_folder(root, name) / "dev.jsonl") for name, _ in SETS}
    for name, shown in plans_of(only):
        key = f"{name}:{shown}"
        if key in known:
            continue
        chooser = random.Random(11)
        if name == "bfcl":
            backend = backends.setdefault(english, LlamaBackend(locate(english), threads=threads))
            known[key] = _with_own_specs(everything[name], most, chooser, backend, embedder)
            save()
            print(key, len(known[key]), flush=True)
            continue
        folder = _folder(root, name)
        functions = tuple(read_specs(folder / "functions.json"))
        slots = {f.label: frozenset(f.slot) for f in functions}
        exemplars = tuple(read_exemplars(folder / f"exemplars-{shown}.json", slots)) if shown != "0" else ()
        rows: list[dict[str, Any]] = []
        model = "gemma3-270m" if name in OTHER else english
        backend = backends.setdefault(model, LlamaBackend(locate(model), threads=threads))
        own = [line for line in everything[name] if len(line["calls"]) < 2]
        chooser.shuffle(own)
        kin = (name.split("-")[0], "bfcl")
        others = [o for o in sorted(everything) if o.split("-")[0] not in kin and (o in OTHER) == (name in OTHER)]
        foreign = [line for other in others for line in everything[other][::7]]
        chooser.shuffle(foreign)
        full = Domain(functions, exemplars)
        plans = [(full, own[:most], "own"), (full, foreign[: most // 3], "foreign")]
        if len(functions) > 3:
            near = _without(full, chooser)
            kept = set(near.by_label)
            missed = [x for x in own[most:] + own if x["calls"] and x["calls"][0]["name"] not in kept]
            plans.append((near, missed[: most // 3], "near"))
        whole = prepare(full, backend, embedder)
        for domain, lines, kind in plans:
            prepared = whole if domain is full else _part(whole, full, domain, embedder)
            scorer = FunctionScorer(domain, backend, embedder, prepared)
            for line in lines:
                rows.append(_row(domain, scorer, backend, line, kind))
        known[key] = rows
        save()
        print(key, len(rows), flush=True)


def _with_own_specs(
    lines: Sequence[dict[str, Any]], most: int, chooser: random.Random, backend: LlamaBackend, embedder: Any
) -> list[dict[str, Any]]:
    """Lines that bring their functions: the call, or none, among these."""
    rows: list[dict[str, Any]] = []
    for line in chooser.sample(list(lines), min(2 * most, len(lines))):
        domain = Domain(tuple(read_specs(line["specs"])))
        if len(line["calls"]) < 2:
            scorer = FunctionScorer(domain, backend, embedder, prepare(domain, backend, embedder))
            rows.append(_row(domain, scorer, backend, line, "own"))
    return rows


def _part(whole: Prepared, full: Domain, domain: Domain, embedder: Any) -> Prepared:
    """What was prepared for some of the functions: prompts as they are, retrieval fitted anew."""
    kept = [full.index[label] for label in domain.by_label]
    return replace(
        whole, channels=tuple(whole.channels[i] for i in kept), bias=tuple(whole.bias[i] for i in kept),
        heads={now: whole.heads[i] for now, i in enumerate(kept) if i in whole.heads},
        slots=tuple(whole.slots[i] for i in kept), **retrievals(domain, embedder, lambda what, done, of: None),
    )  # fmt: skip


def _folder(root: Path, name: str) -> Path:
    """The folder of a set: of the data, or one of our own."""
    return EVERYDAY / name if (EVERYDAY / name).is_dir() else root / name


def _lines(path: Path) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _without(domain: Domain, chooser: random.Random) -> Domain:
    kept = set(chooser.sample(sorted(domain.by_label), max(2, int(len(domain.functions) * LEFT_OUT))))
    return Domain(
        tuple(f for f in domain.functions if f.label in kept), tuple(e for e in domain.exemplars if e.function in kept)
    )


def _row(domain: Domain, scorer: FunctionScorer, backend: LlamaBackend, line: Mapping[str, Any], kind: str) -> dict[str, Any]:
    functions = [label for label in line.get("functions", ()) if label in domain.by_label] if kind != "foreign" else []
    expectations = [e for e in line.get("expectations", ()) if e[1] in domain.by_label] if kind == "own" else None
    history = line.get("history") if kind == "own" else None
    entities = line.get("entities") if kind == "own" or kind == "near" else None
    entities = {key: spans for key, spans in (entities or {}).items() if key in domain.entity_keys}
    request = read_request(domain, line["utterance"], entities, expectations, history, None, functions or None)
    verdict = Answering(domain, scorer, Generator(backend), request, False).verdict
    name = line["calls"][0]["name"] if line["calls"] and kind == "own" else None
    return {
        "utterance": line["utterance"], "kind": kind, "gold": domain.index[name] if name else None,
        "rivals": [(r.index, dict(r.features)) for r in verdict.rivals[:10]], "fallback": dict(verdict.fallback_features),
        "settled": "exemplar match" in verdict.rivals[0].features,
    }  # fmt: skip


def fit(
    rows: Sequence[tuple[float, Mapping[str, Any]]], of: Sequence[str], of_fallback: Sequence[str], penalty: float
) -> Any:
    """Multinomial: the rivals and the fallback share the probability."""
    scaled = np.array([*(SCALES.get(n, 1.0) for n in of), *map(_scale, of_fallback)])
    prepared = []
    for weight, row in rows:
        own = np.array([[f.get(n, 0.0) / SCALES.get(n, 1.0) for n in of] for _, f in row["rivals"]])
        given = np.array([by_hand(f) for _, f in row["rivals"]])
        none = np.array([row["fallback"].get(n, 0.0) / _scale(n) for n in of_fallback])
        ids = [i for i, _ in row["rivals"]]
        gold = len(ids) if row["gold"] is None else ids.index(row["gold"]) if row["gold"] in ids else None
        if gold is not None and not row["settled"]:
            prepared.append((weight, own, np.append(given, by_hand(row["fallback"], BY_HAND_FALLBACK)), none, gold))
    total = sum(weight for weight, *_ in prepared)

    def loss(w: Any) -> tuple[float, Any]:
        a, b = w[: len(of)], w[len(of) :]
        value, gradient = penalty / 2 * float(w @ w), penalty * w
        for weight, own, given, none, gold in prepared:
            scores = np.append(own @ a, none @ b) + given
            scores -= scores.max()
            p = np.exp(scores)
            p /= p.sum()
            value -= weight / total * float(np.log(p[gold] + 1e-12))
            d = p.copy()
            d[gold] -= 1
            gradient = gradient + weight / total * np.concatenate([d[:-1] @ own, d[-1] * none])
        return value, gradient

    w = minimise(loss, np.zeros(len(scaled)), 80) / scaled
    return dict(zip(of, w[: len(of)], strict=True)), dict(zip(of_fallback, w[len(of) :], strict=True))


def by_hand(features: Mapping[str, float], weights: Mapping[str, float] = BY_HAND) -> float:
    """What evidence says whose weights are not fitted."""
    return sum(weight * features.get(name, 0.0) for name, weight in weights.items())


def _scale(name: str) -> float:
    return SCALES.get(name.removeprefix("top ").removeprefix("best "), 1.0)


def judged(row: Mapping[str, Any], weights: Any) -> tuple[bool, bool, float]:
    """Right function before refusal; refused; margin."""
    of, of_fallback = weights
    scores = [(by_hand(f) + sum(w * f.get(n, 0.0) for n, w in of.items()), i) for i, f in row["rivals"]]
    best, index = max(scores, key=lambda item: item[0])
    if row["settled"]:
        index, best = row["rivals"][0][0], 99.0
    none = by_hand(row["fallback"], BY_HAND_FALLBACK) + by_hand(row["fallback"], of_fallback)
    return index == row["gold"], none > best, best - none


Names = tuple[Sequence[str], Sequence[str]]
"""Evidence about functions, and about the fallback."""


def weighted(known: Mapping[str, Sequence[Mapping[str, Any]]], keys: Sequence[str], half: int | None) -> list[Any]:
    rows = []
    for key in keys:
        own = [row for n, row in enumerate(known[key]) if half is None or n % 2 == half]
        share = (1.0 if (EVERYDAY / key.split(":")[0]).is_dir() else PUBLIC) / len(own)
        rows += [(share * (1.0 if row["gold"] is not None else REFUSED), row) for row in own]
    return rows


def halves(
    known: Mapping[str, Sequence[Mapping[str, Any]]], keys: Sequence[str], names: Names, penalty: float, lower: float = 0.0
) -> list[dict[str, dict[str, float]]]:
    """For each fold and set the shares that are right, kept and refused, under weights of the other fold, the bias of
    the fallback ``lower``."""
    found: list[dict[str, dict[str, float]]] = []
    for half in (0, 1):
        weights = fit(weighted(known, keys, half), *names, penalty)
        weights[1]["bias"] -= lower
        found.append({key: shares([row for n, row in enumerate(known[key]) if n % 2 != half], weights) for key in keys})
    return found


def shares(held: Sequence[Mapping[str, Any]], weights: Any) -> dict[str, float]:
    parts: dict[str, float] = {}
    for kind in ("own", "none", "foreign", "near"):
        rows = [r for r in held if (r["kind"] == kind if kind != "none" else r["kind"] == "own" and r["gold"] is None)
                and not (kind == "own" and r["gold"] is None)]  # fmt: skip
        found = [judged(row, weights) for row in rows]
        if found and kind == "own":
            parts["function"] = float(np.mean([right for right, _, _ in found]))
            parts["kept"] = float(np.mean([right and not refused for right, refused, _ in found]))
        elif found:
            parts[kind] = float(np.mean([refused for _, refused, _ in found]))
    return parts


def report(known: Mapping[str, Sequence[Mapping[str, Any]]], keys: Sequence[str], names: Names, penalty: float) -> Any:
    """Prints what each fold gives; the weights fitted on all."""
    for half, sets in enumerate(halves(known, keys, names, penalty)):
        for key, parts in sets.items():
            print(half, key, {name: round(value, 3) for name, value in parts.items()})
    return fit(weighted(known, keys, None), *names, penalty)


ABLATIONS = (
    ("all", ()), ("without radius and margin", ("radius", "margin")), ("without assured", ("assured",)),
    ("without direct", ("direct",)),
    ("without channel", ("channel", "lift")), ("without the language model", ("direct", "channel", "lift")),
)  # fmt: skip
"""What is left out in turn, to see what it gives."""
LOWER = (0.4, 0.6, 0.8)
"""By how much the bias of the fallback is lowered, to see what it costs."""


def ablations(
    known: Mapping[str, Sequence[Mapping[str, Any]]], keys: Sequence[str], names: Names, penalty: float, in_use: Any
) -> None:
    """Prints means over folds and sets: one kind of evidence left out at a time, the fallback's bias lowered, and
    under the weights of the package."""
    for title, gone in ABLATIONS:
        print(title, means(own for sets in halves(known, keys, without(names, gone), penalty) for own in sets.values()))
    for lower in LOWER:
        found = halves(known, keys, names, penalty, lower)
        print(f"bias {lower} lower", means(own for sets in found for own in sets.values()))
    print("in use, in sample", means(shares(known[key], in_use) for key in keys))


def without(names: Names, gone: Sequence[str]) -> Names:
    of, none = ([name for name in part if name.split(" ")[-1] not in gone] for part in names)
    return of, none


def means(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each share over those that have it."""
    found = list(parts)
    kinds = dict.fromkeys(kind for own in found for kind in own)
    return {kind: round(float(np.mean([own[kind] for own in found if kind in own])), 3) for kind in kinds}


CASCADES = ((1.0, inf), (0.99, 3.0), (0.95, 2.0), (0.9, 2.0), (0.9, 1.0))
"""COVER and CLEAR (constrained_du/functions/scoring.py) whose cost and gain are shown; the first asks about every function."""


def cascades(
    known: Mapping[str, Sequence[Mapping[str, Any]]], keys: Sequence[str], every: Any, quick: Any, penalty: float
) -> None:  # fmt: skip
    """Right and kept, functions judged a line and lines without a token, under weights of the other half."""
    rows = [(n % 2, key, row) for key in keys for n, row in enumerate(known[key])]
    parts: dict[int, tuple[Any, Any]] = {}
    for half in (0, 1):
        weighed = [((REFUSED if r["gold"] is None else 1.0) / len(known[k]), r) for h, k, r in rows if h == half]
        parts[half] = (fit(weighed, *every, penalty), fit(weighed, *quick, penalty))
    for cover, clear in CASCADES:
        kept: dict[str, list[bool]] = {key: [] for key in keys}
        judged_each: list[int] = []
        for half, key, row in rows:
            right, count = _through(row, *parts[1 - half], cover, clear)
            judged_each.append(count)
            if row["gold"] is not None:
                kept[key].append(right)
        mean = float(np.mean([np.mean(own) for own in kept.values() if own]))
        free = float(np.mean([count == 0 for count in judged_each]))
        print(f"cascade {cover} {clear}: kept {mean:.3f}, judged {np.mean(judged_each):.1f}, without a token {free:.0%}")


def _through(row: Mapping[str, Any], full: Any, quick: Any, cover: float, clear: float) -> tuple[bool, int]:
    """Whether the function is right and kept, and how many functions the model judged."""
    if row["settled"]:
        return row["rivals"][0][0] == row["gold"], 0

    def scores(weights: Any) -> tuple[Any, float]:
        of, none = weights
        own = np.array([by_hand(f) + sum(w * f.get(n, 0.0) for n, w in of.items()) for _, f in row["rivals"]])
        return own, by_hand(row["fallback"], BY_HAND_FALLBACK) + by_hand(row["fallback"], none)

    (own, none), (fast, fast_none) = scores(full), scores(quick)
    order = np.argsort(-fast, kind="stable")
    reached = np.cumsum(np.exp(fast[order] - fast.max())) / np.exp(fast - fast.max()).sum()
    count = min(scoring.SHORTLIST, int(np.searchsorted(reached, cover)) + 1, len(own))
    if count == 1 and abs(float(fast.max()) - fast_none) >= clear:
        own, none, count = fast, fast_none, 0
    else:
        own[order[count:]] = -np.inf
    best = int(np.argmax(own))
    return row["rivals"][best][0] == row["gold"] and own[best] >= none, count


BASE = ["similar", "terms", "portrait terms", "channel", "direct", "unjudged", "expected", "expected short",
        "expected fit", "active", "active short", "slots", "typed", "left", "template"]  # fmt: skip
FALLBACK = ["bias", "words", "top similar", "top terms", "top portrait terms", "top lift", "top direct",
            "best similar", "best terms", "best portrait terms", "best lift", "best direct", "best channel", "best expected",
            "best expected fit", "best expected short", "best active", "top slots", "top typed", "least left", "best slots",
            "best typed", "best left", "best template", "best same side", "best opposite",
            "best only asked"]  # fmt: skip

JUDGED = frozenset(("channel", "direct", "unjudged", "lift", "slots", "typed", "left", "short"))
"""What is not known before the model and the slots were asked."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", default="smollm2-135m-instruct", help="for English")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--most", type=int, default=75)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sets", nargs="*", default=(), help="gather these only, such as snips:10")
    parser.add_argument("--penalty", type=float, default=0.003)
    parser.add_argument("--fit-only", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    scoring.COVER, scoring.CLEAR = 1.0, inf  # everything is judged here; the cascade is for those who wait
    known: dict[str, list[dict[str, Any]]] = pickle.loads(arguments.cache.read_bytes()) if arguments.cache.exists() else {}
    if not arguments.fit_only:
        def save() -> None:
            arguments.cache.write_bytes(pickle.dumps(known))

        gather(arguments.data, arguments.model, arguments.threads, arguments.most, known, arguments.sets, save)
    other = [key for key in known if key.split(":")[0] in OTHER]
    bare = [key for key in known if key.endswith(":0")]
    shown = [key for key in known if not key.endswith(":0") and key not in other]
    shown_more = ["classified", "exemplar"]
    beside = ["top exemplar", "best exemplar", "best classified", "best radius", "best margin", "top radius",
              "best assured", "top assured"]  # fmt: skip
    penalty, bare_names = arguments.penalty, (BASE, FALLBACK)
    for name, keys, names in (("BARE", bare, bare_names), ("SHOWN", shown, ([*BASE, *shown_more], [*FALLBACK, *beside])),
                              ("OTHER", other, bare_names)):  # fmt: skip
        if not keys:
            continue
        print(name)
        used = {"BARE": BARE, "SHOWN": SHOWN, "OTHER": OTHER_WEIGHTS}[name]
        ablations(known, keys, names, penalty, (used.of, used.of_fallback))
        if not used.weighs("direct"):
            names = without(names, ("direct",))
        quick: Any = tuple([n for n in own if n.split(" ", 1)[-1] not in JUDGED and n not in JUDGED] for own in names)
        cascades(known, keys, names, quick, penalty)
        parts = [*report(known, keys, names, penalty), *report(known, keys, quick, penalty)]
        print(json.dumps([{n: round(float(w), 3) for n, w in part.items()} for part in parts]))


if __name__ == "__main__":
    main()
