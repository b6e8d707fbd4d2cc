"""Trains the adapter of the default model: from the plain GGUF file to models/adapters, in one command.

``python benchmarks/training/train.py --out DIR --adapter models/adapters/NAME.gguf`` (``make train``)
fetches the file, takes the weights from it, shows packs (``turns.py``), keeps a checkpoint in DIR that
a second run goes on from, prints held-out accuracy (services never trained on) and writes the
adapter. Deterministic for a seed, a number of packs and of threads. Needs the ``training`` group.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from pathlib import Path
from typing import Any

import export
import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from tqdm import tqdm
from transformers import AutoModelForCausalLM
from turns import SILENT, Pack, Turns

from constrained_du.decoding import reading
from constrained_du.llama import LlamaBackend
from constrained_du.models import model_source, models

MODEL = "smollm2-135m-instruct"
RANK, ALPHA, DROPOUT = 16, 32, 0.1
RATE, WARM = 8e-4, 20  # of AdamW; packs until the rate is whole
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def arranged(pack: Pack) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens, positions and mask of one row in which every segment sees the head and itself."""
    tokens, positions, owner = list(pack.head), list(range(len(pack.head))), [0] * len(pack.head)
    for number, segment in enumerate(pack.segments, start=1):
        tokens += segment.tokens
        positions += range(len(pack.head), len(pack.head) + len(segment.tokens))
        owner += [number] * len(segment.tokens)
    own = torch.tensor(owner)
    seen = ((own[None, :] == own[:, None]) | (own[None, :] == 0)) & torch.ones(len(owner), len(owner)).tril().bool()
    mask = torch.zeros(len(owner), len(owner)).masked_fill(~seen, torch.finfo(torch.float32).min)
    return torch.tensor([tokens]), torch.tensor([positions]), mask[None, None]


class Judge:
    """The model's answers to a pack: log-probabilities among the answers that are possible."""

    def __init__(self, model: Any, encode: reading.Encode) -> None:
        self.model = model
        self.none, self.yes, self.no = (encode(text)[0] for text in (reading.NO_SLOT, reading.YES, reading.NO))

    def losses(self, pack: Pack) -> tuple[torch.Tensor, torch.Tensor, dict[str, list[bool]]]:
        """Mean loss of words and of whether the function is meant, and what was right."""
        tokens, positions, mask = arranged(pack)
        base = self.model.base_model.model
        states = base.model(input_ids=tokens, position_ids=positions, attention_mask=mask).last_hidden_state[0]
        head = base.lm_head.weight
        start, at, answers, meant_at, meant = len(pack.head), [], [], [], []
        for segment in pack.segments:
            at += [start + index for index, _ in segment.words]
            answers += [answer for _, answer in segment.words]
            meant_at.append(start + segment.meant[0])
            meant.append(0 if segment.meant[1] else 1)
            start += len(segment.tokens)
        verdicts = states[meant_at] @ head[[self.yes, self.no]].T
        right = {"meant": (verdicts.argmax(1) == torch.tensor(meant)).tolist(), "slot": [], "none": []}
        of_meant = torch.nn.functional.cross_entropy(verdicts, torch.tensor(meant))
        if not at:
            return torch.zeros(()), of_meant, right
        choices = [*pack.answers, self.none]
        scores, wanted = states[at] @ head[choices].T, torch.tensor(answers)
        found = scores.argmax(1) == wanted
        right["slot"], right["none"] = found[wanted < len(pack.answers)].tolist(), found[wanted == len(pack.answers)].tolist()
        return torch.nn.functional.cross_entropy(scores, wanted, ignore_index=SILENT), of_meant, right

    def moved(self, pack: Pack) -> torch.Tensor:
        """How far the likelihoods of a prompt without answers are from the plain model's: mean KL, nats a token."""
        tokens = torch.tensor([pack.plain])
        with torch.no_grad(), self.model.disable_adapter():
            before = self.model(input_ids=tokens).logits[0].log_softmax(1)
        after = self.model(input_ids=tokens).logits[0].log_softmax(1)
        return torch.nn.functional.kl_div(after, before, log_target=True, reduction="batchmean")


def held_out(judge: Judge, packs: list[Pack]) -> dict[str, float]:
    found: dict[str, list[bool]] = {}
    losses, moved = [], []
    judge.model.eval()
    with torch.no_grad():
        for pack in packs:
            words, meant, right = judge.losses(pack)
            losses.append(float(words + meant))
            moved.append(float(judge.moved(pack)))
            for name, own in right.items():
                found.setdefault(name, []).extend(own)
    judge.model.train()
    return {name: sum(own) / len(own) for name, own in {"loss": losses, "moved": moved, **found}.items()}


def fetched(folder: Path) -> Path:
    """The plain model file in the folder; fetched once, whole or not at all."""
    kept = folder / f"{MODEL}.gguf"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            (source,) = model_source.fetch(models.entry(MODEL), Path(place), lambda stage, done, total: None)
            source.replace(kept)
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="the plain GGUF file; it is fetched if not given")
    parser.add_argument("--adapter", type=Path, help="where the finished adapter is written")
    parser.add_argument("--train", type=Path, default=Path("../shared/train/sgd"))
    parser.add_argument("--out", type=Path, required=True, help="a folder for checkpoint and curve")
    parser.add_argument("--packs", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop then at a checkpoint; another run goes on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.model is None:
        arguments.model = fetched(arguments.out)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    torch.use_deterministic_algorithms(True)
    backend = LlamaBackend(arguments.model, threads=1)
    encode, piece = backend.encode, backend.piece
    base = AutoModelForCausalLM.from_pretrained(str(arguments.model.parent), gguf_file=arguments.model.name, dtype=torch.float32)
    model = get_peft_model(base, LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=list(TARGETS), lora_dropout=DROPOUT))
    model.train()
    judge = Judge(model, encode)
    weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.05, betas=(0.9, 0.98))
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1 - step / arguments.packs)
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    kept, done, curve = arguments.out / "checkpoint.pt", 0, []
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        set_peft_model_state_dict(model, state["adapter"])
        optimiser.load_state_dict(state["optimiser"])
        rate.load_state_dict(state["rate"])
        done, curve = state["done"], state["curve"]
    others = Turns(arguments.train, held=True).packs(encode, piece, 99)
    apart = [next(others) for _ in range(24)]
    packs = Turns(arguments.train, held=False).packs(encode, piece, arguments.seed)
    for _ in range(done):
        next(packs)

    def keep() -> None:
        state = {"adapter": get_peft_model_state_dict(model), "optimiser": optimiser.state_dict(), "rate": rate.state_dict(),
                 "done": done, "curve": curve}  # fmt: skip
        torch.save(state, kept.with_suffix(".new"))
        kept.with_suffix(".new").replace(kept)
        (arguments.out / "curve.json").write_text(json.dumps(curve, indent=1))

    started, tokens, average = time.monotonic(), 0, 0.0
    bar = tqdm(total=arguments.packs, initial=done, mininterval=30)
    while done < arguments.packs and time.monotonic() - started < 60 * arguments.minutes:
        pack = next(packs)
        words, meant, _ = judge.losses(pack)
        loss = words + 0.5 * meant + judge.moved(pack)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        rate.step()
        done, tokens, average = done + 1, tokens + pack.size, 0.98 * average + 0.02 * float(loss.detach())
        bar.update()
        bar.set_postfix(loss=f"{average / (1 - 0.98 ** done):.3f}", tokens_s=round(tokens / (time.monotonic() - started)))
        if done % 90 == 0 or done == arguments.packs:
            curve.append({"packs": done, "train": average, **held_out(judge, apart)})
            print(json.dumps(curve[-1]), flush=True)
            keep()
    keep()
    if done == arguments.packs and arguments.adapter is not None:
        export.write(kept, arguments.adapter, ALPHA)


if __name__ == "__main__":
    main()
