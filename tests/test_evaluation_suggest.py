"""The fix loop: suggested exemplars fix the mistakes they are for, and break nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from constrained_du.errors import ContextOverflowError
from constrained_du.evaluation import (
    GoldCall,
    Line,
    evaluate,
    json_equal,
    suggest,
    unsuggested,
)
from constrained_du.types import DO_NOT_UNDERSTAND, Call, Result, Stats

REFUSAL = Call(DO_NOT_UNDERSTAND)


@dataclass
class Scripted:
    """A converter that knows its answers; a call is sayable unless it is in ``unsayable``."""

    answers: Mapping[str, Result | Exception]
    unsayable: Sequence[Mapping[str, Any]] = ()
    asked: list[dict[str, Any]] = field(default_factory=list)

    def convert(self, utterance: str, **given: Any) -> Result:
        self.asked.append({"utterance": utterance, **given})
        answer = self.answers[utterance]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def accepts(self, call: Any, utterance: str, **given: Any) -> bool:
        return not any(json_equal(call, other) for other in self.unsayable)


def answer(*calls: Call, p: float = 0.5, tokens: int = 0, passes: int = 0, ms: float = 0.0) -> Result:
    return Result(calls or (REFUSAL,), p, stats=Stats(tokens, passes, ms / 1000))


def line(utterance: str, *calls: GoldCall, **others: Any) -> Line:
    return Line(utterance, calls, **others)


# ---------------------------------------------------------------- the fix loop


@dataclass
class ByExemplar:
    """Answers by exemplars alone: a real, tiny engine for the fix loop.

    What matches an exemplar gets its function and slots, except what matches a negation;
    everything else gets ``guess``.
    """

    guess: Mapping[str, Result]
    exemplars: list[tuple[str, str, str]] = field(default_factory=list)

    def add_exemplars(self, groups: Sequence[Mapping[str, Any]]) -> None:
        for group in groups:
            self.exemplars += [(group["funcId"], row["type"], row["utterance"]) for row in group["exemplars"]]

    def convert(self, utterance: str, **given: Any) -> Result:
        for function, kind, template in self.exemplars:
            pattern = re.sub(r"<\\ (\w+)\\ >", r"(?P<\1>.+?)", re.escape(template))
            found = re.fullmatch(pattern, utterance)
            if found:
                return answer(Call(function, found.groupdict())) if kind == "implies" else answer()
        return self.guess[utterance]

    def accepts(self, call: Any, utterance: str, **given: Any) -> bool:
        return True


FIXABLE = [
    line("wake me at 7 please", GoldCall("alarm", {"time": "7"})),
    line("put on some jazz", GoldCall("play", {"genre": "jazz"})),
    line("put on some blues", GoldCall("play", {"genre": "blues"})),
    line("thanks a lot", id="thanks"),
    line("stop", GoldCall("stop")),
    line("book Rome to Rome Sud", GoldCall("book", {"from": "Rome", "to": "Rome Sud"})),
]
GUESSES = {
    "wake me at 7 please": answer(Call("play", {"genre": "7"})),
    "put on some jazz": answer(Call("play", {"genre": "some jazz"})),
    "put on some blues": answer(Call("play", {"genre": "some blues"})),
    "thanks a lot": answer(Call("play")),
    "stop": answer(Call("stop")),
    "book Rome to Rome Sud": answer(),
}


def test_suggestions_are_opencui_exemplars_merged_per_function() -> None:
    suggested = suggest(evaluate(ByExemplar(GUESSES), FIXABLE))
    assert suggested == [
        {"funcId": "alarm", "exemplars": [{"type": "implies", "utterance": "wake me at < time > please"}]},
        {
            "funcId": "play",
            "exemplars": [
                {"type": "implies", "utterance": "put on some < genre >"},
                {"type": "negation", "utterance": "thanks a lot"},
            ],
        },
        {"funcId": "book", "exemplars": [{"type": "implies", "utterance": "book < from > to < to >"}]},
    ]
    assert json.loads(json.dumps(suggested)) == suggested


def test_adding_the_suggestions_fixes_the_mistakes_and_breaks_nothing() -> None:
    converter = ByExemplar(GUESSES)
    before = evaluate(converter, FIXABLE)
    converter.add_exemplars(suggest(before))
    after = evaluate(converter, FIXABLE)
    assert (before.figures.exact.right, after.figures.exact.right) == (1, 6)
    assert suggest(after) == [] and unsuggested(after) == []


@pytest.mark.parametrize(
    ("mistake", "reason"),
    [
        (line("7 pm", GoldCall("alarm", {"time": "7 pm"})), "all of it is a value"),
        (line("wake me soon", GoldCall("alarm", {"time": "7"})), "'time' does not stand in the utterance"),
        (line("wake me at 17", GoldCall("alarm", {"time": "7"})), "'time' does not stand in the utterance"),
        (line("lamp on", GoldCall("lamp", {"on": True})), "'on' does not stand in the utterance"),
        (line("both", GoldCall("lamp"), GoldCall("stop")), "several calls"),
        (line("own", GoldCall("lamp"), specs=({"name": "lamp"},)), "functions of its own"),
        (line("any day", GoldCall("go", {}, {"day": (("dontcare", None),)})), "operator"),
        (line("stop the music", GoldCall("alarm", {"time": "music"})), "'stop the lamp'"),
        (line("Stop the lamp!"), "'stop the lamp'"),
        (line("long"), "an error"),
    ],
)
def test_what_no_exemplar_would_fix_is_said_with_its_reason(mistake: Line, reason: str) -> None:
    good = line("stop the lamp", GoldCall("lamp_off", {"x": "lamp"}))
    answers: dict[str, Result | Exception] = {
        "stop the lamp": answer(Call("lamp_off", {"x": "lamp"})),
        "long": ContextOverflowError("too long"),
    }
    answers.setdefault(mistake.utterance, answer(Call("lamp_off")))
    make = lambda specs: Scripted(answers)  # noqa: E731
    run = evaluate(Scripted(answers), [good, mistake], make_converter=make)
    assert suggest(run) == []
    ((outcome, why),) = unsuggested(run)
    assert outcome.line == mistake and reason in why


@pytest.mark.parametrize(
    ("mistake", "template"),
    [
        (
            line(
                "bedroom lamp in bedroom on",
                GoldCall("turn_on", {"area": "Bedroom", "name": "Lamp 1"}),
                entities={"area": [(0, 7, "Bedroom"), (16, 23, "Bedroom")], "name": [(0, 12, "Lamp 1")]},
            ),
            "< name > in < area > on",
        ),
        (line("明日の京都の天気は？", GoldCall("weather", {"city": "京都"})), "明日の< city >の天気は？"),
        (line("table  for 4\nat 4", GoldCall("book", {"n": 4, "at": "4"})), "table for < n > at < at >"),
        (line("3 of 13", GoldCall("f", {"n": 3})), "< n > of 13"),
    ],
)
def test_values_are_found_where_they_stand(mistake: Line, template: str) -> None:
    (group,) = suggest(evaluate(Scripted({mistake.utterance: answer()}), [mistake]))
    assert group["exemplars"] == [{"type": "implies", "utterance": template}]
