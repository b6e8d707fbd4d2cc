"""Judges a run by what its case expects: each form of ``expect`` is one row of a table.

A judgement is a list of reasons why the run is not right; empty means right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from case_files import Case
from case_run import Run

from constrained_du import errors
from constrained_du.evaluation import json_equal
from constrained_du.types import DO_NOT_UNDERSTAND, Call, Result, compact_json

EARLY = ("SpecError", "UnsupportedSchemaError", "ExemplarError")
"""Errors that must come before the first request."""


def judge(expect: Mapping[str, Any], run: Run) -> list[str]:
    """Why the run does not meet ``expect``; forms beside each other must all hold."""
    unknown = [form for form in expect if form not in _FORMS and form != "mentions"]
    if unknown:
        return [f"this runner does not know the form {unknown[0]!r}"]
    if run.error is not None and not {"error", "any_of"} & expect.keys():
        return [describe_error(run)]
    return [reason for form in expect if form in _FORMS for reason in _FORMS[form](expect, run)]


def judge_same(kind: str, runs: list[Run]) -> list[str]:
    """``same``: equal calls for all variants, or all succeed or fail alike."""
    classes = [type(run.error).__name__ if run.error else "no error" for run in runs]
    if kind == "error":
        return [] if len(set(classes)) == 1 else [f"not the same: {', '.join(classes)}"]
    for run in runs:
        if run.error is not None:
            return [describe_error(run)]
    answers = [describe(run.result) for run in runs if run.result is not None]
    first = runs[0].result
    same = first is not None and all(
        run.result is not None and _same_calls(run.result, first) for run in runs[1:]
    )
    return [] if same else [f"answers differ: {' | '.join(dict.fromkeys(answers))}"]


def describe_error(run: Run) -> str:
    return f"{type(run.error).__name__} in {run.stage}: {_short(str(run.error))}"


def describe(result: Result | None) -> str:
    if result is None:
        return "no answer"
    return _short(", ".join(_call_words(call) for call in result.calls))


def _call_words(call: Call) -> str:
    if call.name == DO_NOT_UNDERSTAND:
        return call.name
    missing = f" missing {list(call.missing)}" if call.missing else ""
    return f"{call.name}{compact_json(dict(call.arguments))}{missing}"


def _short(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode().replace("\n", " ")
    return text if len(text) <= 200 else text[:197] + "..."


def _same_calls(one: Result, other: Result) -> bool:
    return len(one) == len(other) and all(
        a.name == b.name and json_equal(a.arguments, b.arguments) for a, b in zip(one, other, strict=True)
    )


# ------------------------------------------------------------------ the forms


def _calls(expect: Mapping[str, Any], run: Run) -> list[str]:
    got = tuple(run.result or ())
    wanted = expect["calls"]
    if len(got) == len(wanted) and all(_is_call(call, want) for call, want in zip(got, wanted, strict=True)):
        return []
    return [f"answered {describe(run.result)}, wanted {_short(compact_json(wanted))}"]


def _is_call(call: Call, want: Mapping[str, Any]) -> bool:
    return (
        call.name == want["name"]
        and json_equal(call.arguments, want.get("arguments", {}))
        and ("missing" not in want or set(call.missing) == set(want["missing"]))
    )


def _do_not_understand(expect: Mapping[str, Any], run: Run) -> list[str]:
    if run.result is not None and not run.result.understood and not run.result[0].arguments:
        return []
    return [f"answered {describe(run.result)}, wanted do_not_understand"]


def _ok(expect: Mapping[str, Any], run: Run) -> list[str]:
    return [] if run.error is None else [describe_error(run)]


def _error(expect: Mapping[str, Any], run: Run) -> list[str]:
    wanted = expect["error"]
    if run.error is None:
        answered = f"; answered {describe(run.result)}" if run.result is not None else ""
        return [f"no error, wanted {wanted}{answered}"]
    if not isinstance(run.error, getattr(errors, wanted)):
        return [f"wanted {wanted}, got {describe_error(run)}"]
    if wanted in EARLY and run.stage == "convert":
        return [f"{wanted} only in convert"]
    text = str(run.error).casefold()
    absent = [word for word in expect.get("mentions", []) if word.casefold() not in text]
    return [f"does not mention {absent}: {describe_error(run)}"] if absent else []


def _any_of(expect: Mapping[str, Any], run: Run) -> list[str]:
    reasons = [judge(outcome, run) for outcome in expect["any_of"]]
    return [] if [] in reasons else [" / ".join(_short(found[0]) for found in reasons)]


def _never(expect: Mapping[str, Any], run: Run) -> list[str]:
    return [
        f"answered {_call_words(call)}, which is never right"
        for call in run.result or ()
        for ban in expect["never"]
        if _is_banned(call, ban)
    ]


def _is_banned(call: Call, ban: Mapping[str, Any]) -> bool:
    said = call.arguments
    return (
        ban.get("name", call.name) == call.name
        and all(
            slot in said and json_equal(said[slot], value) for slot, value in ban.get("arguments", {}).items()
        )
        and all(slot in said for slot in ban.get("has", []))
    )


def _sayable(form: str, want: bool, calls: Callable[[Case, Any], dict[str, Any]]) -> Callable[..., list[str]]:
    def check(expect: Mapping[str, Any], run: Run) -> list[str]:
        reasons = []
        for item in expect[form]:
            call = calls(run.case, item)
            try:
                got = run.accepts(call)
            except Exception as error:
                problem = f"{type(error).__name__}: {_short(str(error))}"
                reasons.append(f"accepts({_short(compact_json(call))}) raised {problem}")
                continue
            if got is not want:
                reasons.append(f"accepts({_short(compact_json(call))}) is {got}")
        return reasons

    return check


def _call_with(case: Case, value: Any) -> dict[str, Any]:
    """The call that puts a value into the one slot of the one function."""
    spec = case["specs"][0]
    (slot,) = spec["parameters"]["properties"]
    return {"name": spec["name"], "arguments": {slot: value}}


def _reach(expect: Mapping[str, Any], run: Run) -> list[str]:
    alternatives = run.result.alternatives if run.result is not None else ()
    reasons = []
    for want in expect["reach"]:
        if not any(len(other.calls) == 1 and _is_call(other.calls[0], want) for other in alternatives):
            reasons.append(f"{compact_json(want)} is not among the {len(alternatives)} alternatives")
    return reasons


def _order(expect: Mapping[str, Any], run: Run) -> list[str]:
    reasons = []
    for call in run.result or ():
        wanted = [slot for slot in expect["order"] if slot in call.arguments]
        if list(call.arguments) != wanted:
            reasons.append(f"keys are {list(call.arguments)}, wanted {wanted}")
    return reasons


def _max_length(expect: Mapping[str, Any], run: Run) -> list[str]:
    return [
        f"{slot} has {len(call.arguments[slot])} code points, at most {most} are allowed"
        for call in run.result or ()
        for slot, most in expect["max_length"].items()
        if slot in call.arguments and len(call.arguments[slot]) > most
    ]


def _calls_at_most(expect: Mapping[str, Any], run: Run) -> list[str]:
    count = len(run.result or ())
    return [] if count <= expect["calls_at_most"] else [f"{count} calls"]


def _warns(expect: Mapping[str, Any], run: Run) -> list[str]:
    text = "\n".join(run.warned).casefold()
    absent = [word for word in expect["warns"] if word.casefold() not in text]
    return [f"no warning mentions {absent}"] if absent else []


def _same_call(case: Case, call: Any) -> dict[str, Any]:
    return dict(call)


def _call_with_text(case: Case, text: str) -> dict[str, Any]:
    return _call_with(case, json.loads(text))


_FORMS: Mapping[str, Callable[[Mapping[str, Any], Run], list[str]]] = {
    "calls": _calls,
    "do_not_understand": _do_not_understand,
    "ok": _ok,
    "error": _error,
    "any_of": _any_of,
    "never": _never,
    "accept_values": _sayable("accept_values", True, _call_with),
    "reject_values": _sayable("reject_values", False, _call_with),
    "accept_text": _sayable("accept_text", True, _call_with_text),
    "reject_text": _sayable("reject_text", False, _call_with_text),
    "accept_calls": _sayable("accept_calls", True, _same_call),
    "reject_calls": _sayable("reject_calls", False, _same_call),
    "reach": _reach,
    "order": _order,
    "max_length": _max_length,
    "calls_at_most": _calls_at_most,
    "warns": _warns,
}
