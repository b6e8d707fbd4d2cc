"""Utterances that ask nobody to do anything: questions about rules ("are dogs allowed"), and praise ("the soup was lovely").

Closed lists of English; knows texts only.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from constrained_du.text.lexicon import words_of

LONGEST = 200  # letters of a remark; who says more asks for something
_WISE = "bad|safe|dangerous|healthy|unhealthy|harmful|normal|legal|illegal|wise|worth|true|a good idea|a bad idea"
_RULE = re.compile(
    r"^(?:so |and |hey |hi |hello |um |excuse me |tell me )*[,\s]*(?:"
    r"(?:is|are|am|was|were) (?:[\w'’-]+ ){1,4}(?:allowed|permitted|forbidden|mandatory|compulsory|obligatory)\b"
    rf"|is it (?:really |too |very )?(?:{_WISE})\b"
    r"|do you (?:people|guys|folks)\b|do you (?:work|accept|charge|close)\b.*\?$"
    r"|do i (?:really )?(?:have|need) to\b|must i\b|am i supposed to\b"
    r"|(?:how|by) (?:many|much|long|far|often|early|late|soon|old|when)\b.*\b(?:do|must|should) (?:i|we|you) (?:have|need) to\b"
    r"|(?:can|may|could) (?:an?|the|my) [\w'’-]+ be (?:\w+er|more|less)\b"
    r"|is there (?:an? |any )(?:limit|rule|charge|deadline|penalty|maximum|minimum|age limit)\b"
    r"|what (?:happens|would happen) if\b"
    r")", re.IGNORECASE,
)  # fmt: skip
_GOOD = (
    "delicious|lovely|tasty|wonderful|fantastic|amazing|awesome|brilliant|excellent|gorgeous|beautiful|superb|marvell?ous|terrific"
    "|outstanding|impressive|friendly|charming|comfortable|comfy|cosy|funny|hilarious|funniest|nicest|loveliest"
)
_DEGREE = "just|really|so|very|absolutely|ever so|quite|pretty|truly|simply|the"
_ASKS = r"\b(?:but|please|can|could|would|should|need|want|if|so that)\b"
_PRAISE = re.compile(
    rf"^(?:well |oh |wow |ah |mm+ |and |honestly |i must say )*[,\s]*(?![^.!?]*{_ASKS})"
    rf"[^.!?]*\b(?:is|was|are|were|tasted|looke?d?s?|sound(?:s|ed)|\w+s) (?:(?:{_DEGREE}) )*(?:{_GOOD})"
    r"(?: (?:again|today|tonight|this morning|yesterday|last night|\w+s))?[.!\s]*$",
    re.IGNORECASE,
)
_ABOUT = frozenset(
    """review rate rating feedback comment praise compliment log note diary journal mood opinion quality tip like record survey
    message send text post reply""".split()
)
_DOES = frozenset(
    """activate add adjust apply arm arrange ask assign begin block book borrow buy call cancel capture change charge claim
    clear close complete confirm correct create deactivate delete deposit dial dim disable disarm dismiss dispense dock
    download drive edit enable extend file forward freeze grant heat hold install invite join leave lend lock log lower
    make mark mop move mow mute navigate open order park pause pay pin plan play post preheat print pull push put raise
    rebook record redirect refill refund register remove rename renew rent repeat replace reply report request reschedule
    reserve reset resume return revoke save schedule sell send set share sign silence skip snooze start stop submit
    subscribe switch sync tag take transfer trigger turn unblock unlock unmute unsubscribe update upgrade upload use
    vacuum wake wash water withdraw write""".split()
)


_DONE_TO = frozenset(
    """add adjust book cancel close control delete lock off on open order pause remove set start stop unlock
    update""".split()
)
"""The last word of a name that does something to what stands before it: ``alarm_cancel``."""
_TOLD = frozenset(
    """balance cost date details fee fees history hours info information limit list policy price status time times""".split()
)


def asks_rule(text: str) -> bool:
    """Whether an utterance asks what the rules are, or whether something is wise, and not that it be done."""
    return len(text) <= LONGEST and _RULE.match(text.strip()) is not None


def praises(text: str) -> bool:
    """Whether an utterance is nothing but praise."""
    return len(text) <= LONGEST and _PRAISE.match(text.strip()) is not None


def hears_praise(stems: Collection[str]) -> bool:
    """Whether a function with these words may be what somebody asks for who praises something."""
    return not _ABOUT.isdisjoint(stems)


def does(name: str) -> bool:
    """Whether a function's name says that it does something, rather than tell something: by its first or last word."""
    words = words_of(name)
    return bool(words) and words[-1] not in _TOLD and (words[0] in _DOES or words[-1] in _DONE_TO)
