"""Words that mean opposite actions: "on" and "off", "open" and "close", 开 and 关.

Texts about opposite actions are alike in all other words, so likeness cannot tell them apart.
And a question about how things are ("are the shutters open?") is no command to make them so.
A lock is locked by closing it, whatever "open" and "on" mean to other devices.
Closed lists of English, Japanese and Chinese; knows texts only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from constrained_du.text.lexicon import PLEASANTRIES, PREPOSITIONS, stem, words_of
from constrained_du.text.words import atoms

_PAIRS: tuple[tuple[str, str], ...] = (
    ("on activate enable", "off deactivate disable"),
    ("open raise", "close shut lower"),
    ("lock", "unlock"),
    ("up increase louder brighter higher warmer", "down decrease reduce quieter dimmer lower cooler"),
    ("start begin", "stop end cancel"),
    ("pause", "unpause resume continue"),
    ("mute silence", "unmute"),
    ("add", "remove delete"),
    ("next skip", "previous"),
    ("buy", "sell"),
    ("arrive arriving arrival", "depart departing departure leave leaving"),
)
_UNSPACED: tuple[tuple[str, str], ...] = (
    ("打开|开启|开灯|つけ|付け|点け|オン|開け", "关闭|关掉|关上|关灯|消し|消す|切って|切っと|オフ|閉め|閉じ"),
    (
        "增大|增加|调高|提高|升高|[大高亮响]一?[点些]|大声|上げ|増や|大きく|明るく",
        "减小|减少|调低|降低|[小低暗轻]一?[点些]|小声|下げ|減ら|小さく|暗く",
    ),
    ("开始|始め|開始", "停止|结束|取消|止め|終了|キャンセル"),
    (
        "(?<!已)(?<!已经)设置(?!了)|设定|新建|创建|增加|添加|加入|追加|設定(?!済|され)|セット|作成",
        "取消|删除|移除|撤销|削除|取り消|キャンセル|解除",
    ),
    ("下一|次の|次へ", "上一|前の|前へ"),
)
_LOCKS = (
    (re.compile(
        "(?:打开|解开|开启|开)[^，。、,]{0,8}锁(?!屏)|锁(?:都|全)?(?:打开|解开|开)|解锁|鍵を?(?:開|あ)け|解錠|アンロック|ロックを?(?:解除|外)"
        r"|\b(?:open|undo)\b[\w '’]{1,24}\block\b"
    ), " unlock "),
    (re.compile(
        "(?:关闭|关上|关|锁)[^，。、,]{0,8}锁(?!屏)|锁(?:都|全)?(?:关闭|关上|关)|[上反]锁|锁[上好住门]|鍵を?(?:閉|し|掛|か)[めけ]|施錠|ロック(?:し|する|を?(?:かけ|掛け))"
        r"|\b(?:close|shut)\b[\w '’]{1,24}\block\b"
    ), " lock "),
)  # fmt: skip
_IDIOMS = (
    (re.compile(r"\b(?:get(?:ting)? rid of|call(?:ing|ed)? off|scrap(?:ping)?|ditch(?:ing)?|withdraw|no longer (?:need|want)"
                r"|have no (?:more )?use for|forget (?:about )?(?=(?:the|my|our|that|this|[a-z]+ing)\b))",
                re.IGNORECASE), " cancel delete off "),
    (re.compile(r"\bkill\b(?= the| all| those| every| each| that| this)", re.IGNORECASE), " off "),
    (re.compile(r"\bshut(?:ting)?\b(?: [\w'’-]+){1,5} down\b|\bshut(?:ting)? down\b", re.IGNORECASE), " off "),
    (re.compile(r"\bget\b(?: [\w'’-]+){1,4} (?:going|running)\b|\b(?:wake|fire|start|boot) up\b", re.IGNORECASE), " activate "),
    (re.compile(r"\bno more\b", re.IGNORECASE), " stop "),
)  # fmt: skip
"""What else people say for ending something."""
_ENDS = re.compile(
    r"(?:^|[,.;:!?] *|(?:^|\b)(?:and|so|but|then|please|pls|just|you|to|hey|hi|actually|better) +)"
    r"(?:(?:please|just) +)?(?:(?:delete|cancel|remove(?! [0-9]| an? (?:minute|hour|second))|scrap|bin|ditch|dump|withdraw"
    r"|trash|erase)\b|get rid of|call off"
    r"|forget (?:about )?(?:the|my|our|that|this|[a-z]+ing)\b|(?:take|strike|cross) (?:it|that|this|them|me|us) off\b)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r"\b(?:remind|note|tell|message|ask|log|why|when|how|what|who|add|put|instead)\b", re.IGNORECASE)
_BEGINS = frozenset(
    "add adjust book create enter find get insert log make open order plan play put record reserve request run save schedule "
    "search send set start submit write".split()
)
_ALL = frozenset("all every everything each both entire whole".split())
_ALL_UNSPACED = re.compile("所有|全部|一切|每|都|すべて|全て|ぜんぶ|みんな")
_SWITCHED = frozenset(
    """turn turned switch switched power powered flip flipped put come go stay keep is are be lights light lamp fan tv""".split()
)
_TURNED = frozenset("turn switch flip put".split())
_SIDES = tuple(tuple(frozenset(stem(word) for word in side.split()) for side in pair) for pair in _PAIRS)
_PATTERNS = tuple(tuple(re.compile(side) for side in pair) for pair in _UNSPACED)

_ALIKE = {0: (0, 1), 1: (3,), 2: (4,), 3: (7,), 4: (8,)}
"""Which English pairs each pair in other scripts stands for, by their places."""

Sides = frozenset[tuple[int, int]]
"""(pair, side) of what a text says."""
_ENDINGS: Sides = frozenset(((4, 1), (7, 1)))  # stop, end, cancel; remove, delete


def sides(text: str) -> Sides:
    for pattern, meant in (*_LOCKS, *_IDIOMS):
        text = pattern.sub(meant, text)
    words = [stem(word) for atom in atoms(text) if atom.kind == "word" for word in words_of(atom.text) or (atom.text,)]
    said = {word for index, word in enumerate(words) if word != "on" or _switches(words, index)}
    found = {(p, s) for p, pair in enumerate(_SIDES) for s, side in enumerate(pair) if said & side}
    found |= {(len(_SIDES) + p, s) for p, pair in enumerate(_PATTERNS) for s, side in enumerate(pair) if side.search(text)}
    return frozenset(found)


def in_english(said: Sides) -> Sides:
    """The sides with those that English has for what was said in other scripts: つけて is "on"."""
    return said | {(pair, side) for p, side in said for pair in _ALIKE.get(p - len(_PAIRS), ())}


def opposed(own: Sides) -> Sides:
    return frozenset((pair, 1 - side) for pair, side in own)


def _switches(words: Sequence[str], index: int) -> bool:
    """Whether "on" is a state and no preposition: at the end, after a verb of switching, or, words between, before a
    preposition."""
    if index + 1 == len(words) or (index > 0 and words[index - 1] in _SWITCHED) or "off" in words[index + 1 : index + 3]:
        return True
    return words[index + 1] in PREPOSITIONS | PLEASANTRIES and any(word in _TURNED for word in words[max(0, index - 5) : index])


def ends_something(text: str) -> bool:
    """Whether an utterance is a command to end or delete something: "I never ran that, so get rid of it"."""
    return _ENDS.search(text) is not None and _OTHERWISE.search(text) is None


def is_end(found: Sides) -> bool:
    """Whether a function of these sides ends or deletes something."""
    return not _ENDINGS.isdisjoint(_plain(found))


def begins(name: str) -> bool:
    """Whether a function's name is a verb of making, finding or doing, whose opposite ends something: "book_table"."""
    words = words_of(name)
    return bool(words) and words[0] in _BEGINS


def speaks_of_all(text: str) -> bool:
    """Whether a text says that all of something is meant."""
    return bool(_ALL_UNSPACED.search(text)) or any(word in _ALL for word in words_of(text))


def one_and_all(names: Sequence[str]) -> tuple[int, ...]:
    """The functions that do to all things what another one does to one ("cancel_all_timers" beside "cancel_timer")."""
    words = [frozenset(stem(word) for word in words_of(name)) for name in names]
    return tuple(index for index, own in enumerate(words) if own & _ALL and own - _ALL in words)


def compared(said: Sides, own: Sides) -> tuple[bool, bool]:
    """Whether a function is on the side that was said, and whether it is on the other one; a pair
    of which a text has both sides says nothing."""
    said, own = _plain(said), _plain(own)
    return bool(said & own), bool({(pair, 1 - side) for pair, side in said} & own)


def _plain(found: Sides) -> Sides:
    return frozenset((pair, side) for pair, side in found if (pair, 1 - side) not in found)


_STATE = re.compile(
    r"(?:so |and |hey |tell me )?"
    r"(?:(?:is|are|was|were)\b(?! there\b| it (?:possible|ok)\b| you\b)|are there any\b|do (?:i|we) have any\b"
    r"|which\b|how many\b|any\b.*\?$|what\b.*\bstate\b)",
    re.IGNORECASE,
)
_STATE_UNSPACED = re.compile(
    "吗[？?。]?$|[开关锁]着没|是不是|有没有|有[几多]|哪[些个一扇盏台]|几[扇盏台].*[？?]|てい?ますか|てい?る[？?か]|どの.*[？か]|いくつ"
)
_ASKS_FAVOUR = re.compile("能|可以|可不可|[帮请]|[好行]吗|要不要|ください|くれ|もら|いただ|できます")
_STATES = frozenset(("state", "states"))
_ACTUATES = frozenset(
    """turn switch open close shut lock unlock set start stop pause unpause resume activate deactivate enable disable dim
    increase decrease lower raise mute unmute skip""".split()
)


def asks_state(text: str) -> bool:
    """Whether an utterance asks how things are: "is the door locked", "which lamps are on"."""
    unspaced = _STATE_UNSPACED.search(text.strip()) and not _ASKS_FAVOUR.search(text)
    return bool(unspaced or _STATE.match(text.strip()))


def tells_state(name: str) -> bool:
    """Whether a function's name says that it tells how things are."""
    return bool(_STATES & set(words_of(name)))


def actuates(name: str) -> bool:
    """Whether a function's name is a command to a device: its first or last word is such a verb."""
    words = words_of(name)
    return bool(words) and (words[0] in _ACTUATES or words[-1] in _ACTUATES)
