"""What else listed values are called: units, currencies, rhythms, languages, sizes, and forms of one word.

Closed lists of English, and some Chinese; developers list "g", "EUR" or "weekly", people say "grams", "euros", "every week".
Knows words only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

_GROUPS = """
g|gram|gramme
kg|kilo|kilogram|kilogramme
mg|milligram
lb|lbs|pound
oz|ounce
l|litre|liter
ml|millilitre|milliliter
cl|centilitre|centiliter
tbsp|tablespoon
tsp|teaspoon
m|metre|meter
km|kilometre|kilometer|k
cm|centimetre|centimeter
mm|millimetre|millimeter
mi|mile
ft|foot|feet
in|inch
yd|yard
h|hr|hour
min|minute
s|sec|second
celsius|c|centigrade|degree c
fahrenheit|f|degree f
kelvin|k
percent|%|per cent|percentage
daily|every day|each day|a day|per day|every single day|everyday|day by day|每天|每日|天天
hourly|every hour|each hour|an hour|per hour
weekly|every week|each week|a week|per week|once a week|每周|每星期|每礼拜
biweekly|fortnightly|every two weeks|every other week|every fortnight
monthly|every month|each month|a month|per month|once a month|每月|每个月
quarterly|every quarter|each quarter|a quarter|per quarter|every three months
yearly|annually|annual|every year|each year|a year|per year|once a year
weekdays|every weekday|on weekdays|every workday|工作日
usd|us dollar|dollar|buck|american dollar|$
eur|euro|€
gbp|pound|pound sterling|sterling|british pound|quid|£
jpy|yen|japanese yen|¥
chf|swiss franc|franc
cny|yuan|renminbi|chinese yuan|rmb
inr|rupee|indian rupee
cad|canadian dollar
aud|australian dollar|aussie dollar
nzd|new zealand dollar
sek|swedish krona|swedish kronor|swedish crown
nok|norwegian krone|norwegian crown
dkk|danish krone|danish crown
pln|zloty|polish zloty
czk|koruna|czech koruna
huf|forint
try|turkish lira|lira
brl|brazilian real|reais
mxn|mexican peso
krw|won|korean won
rub|ruble|rouble
zar|rand
thb|baht
sgd|singapore dollar
hkd|hong kong dollar
ils|shekel
btc|bitcoin
eth|ether|ethereum
en|english
de|german
fr|french
es|spanish
pt|portuguese
nl|dutch
ja|japanese
zh|chinese|mandarin
ko|korean
ru|russian
ar|arabic
hi|hindi
pl|polish
tr|turkish
uk|ukrainian
mon|monday
tue|tuesday
wed|wednesday
thu|thursday
fri|friday
sat|saturday
sun|sunday
xs|extra small
s|small
m|medium
l|large
xl|extra large
close|shut
sm|small
md|medium
lg|large|big
fwd|forward|forwards|ahead
bday|birthday
am|morning|before noon|before lunch|in the morning
pm|afternoon|after noon|after lunch
all|every|everything|everywhere
"""
_UNITS = frozenset("g kg mg lb oz l ml cl m km cm mm mi ft in yd h min s celsius fahrenheit kelvin percent".split())
_SPANS = frozenset("day week month year night mole watt volt joule newton pascal".split())
_ENDINGS = frozenset((
    "", *"s es t y ies e al ic ical ics ist ists ry ian ians ion ation ment ance ence".split(),
    "therapy",
))  # fmt: skip
_OF_VERBS, _SHORT = ("ing", "ed", "er"), 4
_LONG, _ALIKE = 6, 0.87  # letters of a word, and share of them, by which a slip is told
_ROOT = 5  # letters that forms of one word share at least


@lru_cache(maxsize=1)
def _names() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _GROUPS.strip().splitlines():
        names = tuple(line.split("|"))
        for name in names:
            if " " not in name:
                found[name] = (*found.get(name, ()), *(other for other in names if other != name))
    return found


def other_names(value: str, values: frozenset[str]) -> tuple[str, ...]:
    """What else a listed value is called; ``values`` are all listed ones in lower case, which are called as they are. A letter
    stands for what the others are like: "l" beside "ml" is a litre, beside "xl" it is a size."""
    own = _names().get(value.casefold(), ())
    if len(value) == 1:
        sizes = {"small", "medium", "large"}
        is_size = bool(values & {"xl", "xs", "xxl"}) or {"s", "m", "l"} <= values
        own = tuple(name for name in own if (name in sizes) is is_size)
    return tuple(name for name in own if name not in values)


@lru_cache(maxsize=4096)
def unit(word: str) -> str:
    """The unit that a word names, by its short name, "/" after it where it is one for each of another ("m/" of "metres/second",
    "m/2" of "m/s^2"); empty, if it names none."""
    first, parted, other = word.casefold().partition("/")
    parted += "2" if other.endswith(("2", "²", "squared")) else ""
    named = first if first in _UNITS | _SPANS else ""
    for form in (first, first.removesuffix("s")):
        named = named or next((short for short in sorted(_UNITS) if form == short or form in _names()[short]), "")
        named = named or (form if form in _SPANS else "")
    return named + parted if named else ""


@lru_cache(maxsize=4096)
def misspelt(word: str, other: str) -> bool:
    """Whether a word is a longer one with a slip: "restaraunt"."""
    if min(len(word), len(other)) < _LONG or abs(len(word) - len(other)) > 1 or word[0] != other[0] or word == other:
        return False
    return SequenceMatcher(None, word, other, autojunk=False).ratio() >= _ALIKE


def akin(word: str, other: str) -> bool:
    """Whether two words are nouns or adjectives of one, or the first a form of its verb: "cardiologist" and "cardiology",
    "cancelled" and "cancellation"."""
    if word == other or not (word.isascii() and other.isascii()):
        return word == other
    shared = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    parted = ((word[root:], other[root:]) for root in range(_ROOT, shared + 1))
    return any(b in _ENDINGS and (a in _ENDINGS or (a in _OF_VERBS and b != "")) for a, b in parted)


def abbreviates(short: str, word: str) -> bool:
    """Whether the first letters of a word stand for it: "eve" for "evening", "econ" for "economy"."""
    return 3 <= len(short) <= 5 and len(word) >= len(short) + 3 and short.isalpha() and word.startswith(short)


def initials(words: Sequence[str]) -> str:
    """The first letters of words: "rem" of "rapid eye movement"."""
    return "".join(word[:1] for word in words)


def inflects(word: str, verb: str) -> bool:
    """Whether a word is a form of a verb: "opening" of "open"; "check" is none of "checking"."""
    return len(verb) >= _SHORT and any(word in (verb + ending, verb + verb[-1] + ending) for ending in _OF_VERBS)
