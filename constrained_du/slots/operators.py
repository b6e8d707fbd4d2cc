"""Words that turn a value into its opposite, a bound, an alternative or indifference.

Looks at what surrounds a chosen span in the utterance; English, Japanese and Chinese. Knows
words and spans; what is done about an operator is the engine's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from constrained_du.slots.view import View
from constrained_du.text.lexicon import INDIFFERENT
from constrained_du.text.terms import normalised
from constrained_du.types import Span

_DETERMINERS = r"(?:\s+(?:the|a|an|any|in|on|at|for|to|by|from|with|through|via|past|my|your|this|that))*\s*$"
_BEFORE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("!=", re.compile(r"\b(?:not|isn't|aren't|no|except(?: for)?|excluding|without|besides|but not|other than"
                      r"|(?:any|every)(?:thing|where|one|body|\s+\w+)? but|all(?:\s+\w+)? but|apart from|avoid|never)" + _DETERMINERS)),
    ("!=", re.compile(r"(?:不要|不是|不想要|除了|别是|非)\s*$")),
    (">=", re.compile(r"\b(?:at least|no less than|not less than|minimum of|from at least)" + _DETERMINERS)),
    ("<=", re.compile(r"\b(?:at most|no more than|not more than|maximum of|up to)" + _DETERMINERS)),
    ("<", re.compile(r"\b(?:under|below|less than|fewer than|cheaper than|lower than|before)" + _DETERMINERS + "|(?:低于|少于|不到|小于)$")),
    (">", re.compile(r"\b(?:over|above|more than|greater than|higher than|after)" + _DETERMINERS + "|(?:高于|多于|超过|大于)$")),
)  # fmt: skip
_AFTER: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("!=", re.compile(r"^\s*(?:以外|じゃな|ではな|でな[いく]|之外|以外的)")),
    (">=", re.compile(r"^\s*\S{0,4}?\s*(?:or more|or above|and above|以上)")),
    ("<=", re.compile(r"^\s*\S{0,4}?\s*(?:or less|or fewer|and below|以下|以内)")),
    ("<", re.compile(r"^\s*\S{0,4}?\s*(?:未満)")),
)
_RAISED = re.compile(
    r"\b(?:turn|get|bring|raise|set|put|push|crank|heat|warm|go|move|take|pull|change|adjust|increase)\b[^.,;!?]*\bup to" + _DETERMINERS
)
_LASTING = re.compile(r"\b(?:over|after)" + _DETERMINERS)
_OF_TIME = re.compile(r"\s*-?(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|quarters?|decades?|nights?)\b")
"""A loan over 30 years runs for as long, and what is so after 6 years is so then: no bounds."""
_NUMERIC = frozenset(("<", "<=", ">", ">="))
_NOT = r"(?:don't|do not|dont|never)\s+"
_IDIOMS = r"(?:worry|forget|let \w+ (?:forget|miss|oversleep)|fail to|hesitate|mind|care|know|have|think|see)"
_WHOLE = re.compile(
    r"^(?:(?:please|oh|no|wait|sorry|hey|hi|ok|okay|well|actually),?\s+)*"
    rf"(?:{_NOT}(?!{_IDIOMS})[a-z]+"
    r"|you\s+(?:must|should|may)(?:n't|\s+not)\s+[a-z]+|under no circumstances"
    r"|(?:i|we)\s+(?:don't|do not|dont|no longer)\s+(?:want|need|wish|intend)\s+(?:(?:you\s+)?to\s+[a-z]+|you|any(?!\s*more)|a|an|the|another)"
    r"|(?:i|we)(?:'d| would)\s+rather\s+(?:you\s+)?(?:not|didn't)\s+[a-z]+)\b"
)
_WHOLE_CJK = re.compile(
    r"^(?:请|請|千万|千萬|先|暂时|暫時)*(?:不要|别|別|不用|不想|我不想|我不要)(?!忘|客气|担心)"
    r"|(?:先|暂时|暫時)(?:不要|别|別)(?!忘)|(?<!忘れ)(?:ないで(?:ください|くれ|ね|よ)*|しなくていい|たくない)[。！!]*$"
)
_CORRECTED = re.compile(
    r"(?:\s+[a-z]+){0,2}[\s,.;…—–-]*\b(?:no|nope|sorry|wait|actually|i mean|i meant|oops|make (?:that|it)|(?:or )?rather|or better|scratch that|scrap that|correction)\b"
    r"(?:[\s,.;…—–-]+(?:no|sorry|wait|actually|i mean|i meant|make (?:that|it)|rather|the|at|on|to|for|in))*[\s,.;:…—–-]*"
    r"|[，,、。…\s]*(?:不对|不是|不，|不,|错了|啊不|哦不|いや|違う|じゃなくて|ではなく|違った|間違えた|すみません)[，,、。…\s]*"
)
_CORRECTION_MOST = 48  # letters between a value and the one that takes it back
_EXCEPT_ALL = re.compile(r"\b(?:all|every(?:thing|one|where|body)?|any(?:thing|where|one|body)?)\b.*\b(?:except|but|besides|excluding|other than|apart from)\b")
_CORRECTION = re.compile(r"^\s*(?:no|nope|not|sorry|wait|actually|i mean|i meant|oops)\b[,，]?\s|^(?:不|不是|不对|不，|いや|違う|いいえ)")


@dataclass(frozen=True, slots=True)
class Mark:
    """An operator on a span of the utterance."""

    operator: str
    span: Span


def mark_of(view: View, span: Span) -> Mark | None:
    """The operator that the words beside a span put on it, if any."""
    text = normalised(view.text) if len(normalised(view.text)) == len(view.text) else view.text.casefold()
    before, after = text[max(0, span.start - 40) : span.start], text[span.end : span.end + 16]
    kind = view.kinds.get(span, "")
    numeric = kind == "number" or any(letter.isdigit() for letter in text[span.start : span.end])
    if _RAISED.search(before):
        return None  # "turn it up to 30"
    lasts = _LASTING.search(before) is not None and _OF_TIME.match(after) is not None
    for operator, pattern in _BEFORE:
        if pattern.search(before) and (numeric or operator not in _NUMERIC) and not (lasts and operator in _NUMERIC):
            if operator == "!=" and _is_correction(text, before):
                return Mark("!=", span)
            return Mark(operator, span)
    for operator, pattern in _AFTER:
        if pattern.search(after) and (numeric or operator not in _NUMERIC):
            return Mark(operator, span)
    return None


def corrects(view: View, first: Span, second: Span) -> bool:
    """Whether what is said second takes the first one back: "at 5, no, sorry, at 6"."""
    if not 0 < second.start - first.end <= _CORRECTION_MOST:
        return False
    return _CORRECTED.fullmatch(normalised(view.text[first.end : second.start])) is not None


def _is_correction(text: str, before: str) -> bool:
    return bool(_CORRECTION.match(text)) and len(before.split()) <= 2


def without_idioms(text: str) -> str:
    """A text without words that negate and mean no "not": "don't let me forget"."""
    return re.sub(rf"{_NOT}{_IDIOMS}", " ", text, flags=re.IGNORECASE)


def forbids(view: View) -> bool:
    """Whether the utterance as a whole asks for something *not* to be done."""
    text = " ".join(normalised(view.text).split())
    return bool(_WHOLE.search(text) or _WHOLE_CJK.search(text)) and not re.search(r"\b(?:but|instead)\b", text)


def forbidden(view: View) -> str:
    """The verb that the utterance as a whole forbids; empty where it forbids nothing."""
    if not forbids(view):
        return ""
    text = " ".join(normalised(view.text).split())
    if (found := _WHOLE.search(text)) is not None:
        return found.group().split()[-1]
    found = _WHOLE_CJK.search(text)
    return text[found.end() :] if found is not None and found.start() == 0 else text


def excludes(view: View) -> bool:
    """"everything except …": neither the whole nor the exception is what is asked for."""
    return bool(_EXCEPT_ALL.search(normalised(view.text)))


def is_indifferent(view: View) -> bool:
    text = normalised(view.text)
    return any(phrase in text for phrase in INDIFFERENT)


def alternatives(view: View, spans: Sequence[Span]) -> bool:
    """Whether the spans, in order, are joined by "or"."""
    ordered = sorted(spans)
    joints = [normalised(view.text[a.end : b.start]).strip() for a, b in pairwise(ordered)]
    return any(joint in _OR or joint.split()[:1] == ["or"] or joint.endswith(" or") for joint in joints)


_OR = frozenset(("or", "或", "或者", "还是", "か", "または", "もしくは", "or else"))


def own_meaning(words: str, operator: str) -> bool:
    """Whether a slot is itself about exclusion or a bound, so that no operator is left over."""
    signs: Mapping[str, str] = {"!=": _EXCLUSION, "<": _UPPER, "<=": _UPPER, ">": _LOWER, ">=": _LOWER}
    return bool(re.search(signs.get(operator, r"$^"), words))


_EXCLUSION = (
    r"\bexclu|\bexcept\b|\bavoid|\bto (?:leave|skip|omit)\b|\bleft out\b|\bnot (?:to|wanted|allowed|include|contain|have|eat)|\bunwanted"
    r"|\ballerg|\bwithout which\b|^without|^not |排除|除外"
)
_UPPER = r"max|under|limit|budget|most|upper|below|up to|before|until|ceiling|最大|上限|以内"
_LOWER = r"min|least|over|lower|above|after|from|since|floor|最小|下限|以上"
