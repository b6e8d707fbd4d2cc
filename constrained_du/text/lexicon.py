"""Closed word lists of English, Japanese and Chinese that evidence about slots leans on.

Only function words and the names of kinds of values: nothing of any domain. Other languages
go without, and lean on exemplars and the models.
"""

from __future__ import annotations

FUNCTION_WORDS = frozenset(
    """a an the this that these those some any all every each both my your his her its our their me you him it us
    them i we he she they who whom whose which what when where why how is are was were be been being am do does did
    have has had can could will would shall should may might must to of in on at by for with from into onto about
    under over after before between during until till through near and or but nor so if than then as not no please
    let let's i'd i'm i'll i've it's what's there here just also too very really want need like would want's get
    give show tell find make put set go help called named am're want to'd pls plz thx""".split()
)
PARTICLES = frozenset("的了吗呢吧啊呀呗嘛哦啦在到从把给我你您他她请将和与及是有会要想能就也都很被对为让はがをにでとのもへやかねよ")
"""Letters of Chinese and Japanese that are words of grammar more often than part of a value."""
VERBS = frozenset(
    """want need like get give show tell find make put set go help book reserve order buy play add search look check
    see know please change cancel rate call send turn switch open close start stop schedule create remind is are was be
    can could will would do does did have has had i'd i'm i'll let love hear listen watch try read planning looking""".split()
)
PREPOSITIONS = frozenset(
    "to of in on at by for with from into onto about under over after before between during until till through near "
    "around within called named as titled".split()
)
DETERMINERS = frozenset("a an the this that these those some any my your his her its our their".split())
PRONOUNS = frozenset("me us him her them you it i we he she they myself yourself everyone everybody anyone anybody someone somebody nobody".split())
PLEASANTRIES = frozenset(
    """yes yeah yep yup no nope ok okay sure hi hello hey thanks thank thx please sorry hmm oh um uh ah well bye goodbye cheers great
    perfect awesome alright fine cool welcome actually instead wait maybe anyway pls plz ta erm""".split()
)
"""Words that greet, thank, agree or hesitate."""
CLAUSE_WORDS = frozenset("who whom whose which that what when where why how if because than while so but i we you".split())
"""Words that begin or belong to a clause."""
CLASSIFIERS = frozenset("个部件家张首只本场份条款位间辆台盏扇颗种集季")
"""What counts things in Chinese, and stands before them like an article."""
RECURRENCE = frozenset("every each daily weekly monthly yearly hourly weekdays weekends 毎 每".split())
AND_OR = frozenset("and or & 和 及 と や".split())  # between the parts of a list
JOINTS = frozenset("a an the of and & de la le is".split())
"""Small words inside names."""

TITLES = frozenset("dr doctor mr mrs ms miss mister prof professor sir madam".split())
# What a slot's own words say about the kind of its values. First match by word wins.
KINDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("recurring", frozenset("recurring recurrence repeat frequency 繰り返し 重复".split())),
    ("duration", frozenset("duration length minutes hours seconds days nights 时长 多久 期間 時間数".split())),
    ("datetime", frozenset("datetime date_time timerange when 日時".split())),
    ("time", frozenset("time hour clock 时间 時間 時刻".split())),
    ("date", frozenset("date day dates year month weekday 日期 日付 日子".split())),
    ("number", frozenset(
        """number count amount quantity size how many rating value price cost percent percentage level degrees
        temperature people party guests passengers tickets rooms seats score brightness volume position floor age
        fare balance 数 数量 人数 个数 金额 温度 亮度 秒 分 度""".split())),
    ("person", frozenset(
        """person artist author contact recipient receiver addressee sender friend owner actor director performer singer
        pupil student child patient colleague employee staff teacher doctor therapist nurse dentist stylist barber trainer
        instructor 人 歌手 作者 演员 姓名 名前""".split())),
    ("place", frozenset(
        """place city location country state area region destination origin address station airport town venue
        departure arrival from_location to_location 城市 地点 国家 地方 場所 都市 位置 目的地 出发地 駅 区域""".split())),
    ("title", frozenset("title name song album movie book playlist event track show restaurant hotel 标题 歌曲 电影 题名 歌单".split())),
)  # fmt: skip

# Words before a value that speak for a slot whose own words hold one of the set.
CUES: dict[str, frozenset[str]] = {
    "to": frozenset("destination to arrival ending end dropoff return receiver recipient playlist new 目的地".split()),
    "into": frozenset("destination to ending end receiver recipient playlist".split()),
    "from": frozenset("origin from departure departing source start starting leaving pickup old 出发地".split()),
    "for": frozenset("people party guests passengers duration name number length person".split()),
    "at": frozenset("time hour place location restaurant venue hotel".split()),
    "on": frozenset("date day service platform playlist device".split()),
    "in": frozenset("city location area place country state region room".split()),
    "by": frozenset("artist author director actor performer singer composer".split()),
    "of": frozenset("people artist type kind".split()),
    "with": frozenset("actor cast people ingredients person".split()),
    "until": frozenset("end checkout return".split()), "till": frozenset("end checkout return".split()),
    "through": frozenset("end checkout return".split()),
    "under": frozenset("maximum max price budget name".split()),
    "called": frozenset("title name".split()),
    "named": frozenset("title name".split()),
    "near": frozenset("location place area poi city".split()),
    "starring": frozenset("actor cast".split()),
    "directed": frozenset("director".split()),
    "従": frozenset(), "到": frozenset("目的地 destination to arrival 到达".split()),
    "去": frozenset("目的地 destination to".split()),
    "从": frozenset("出发地 origin from departure".split()),
    "在": frozenset("地点 城市 location city place area 区域".split()),
    "成": frozenset("new".split()), "为": frozenset("new".split()), "不": frozenset("old".split()),
    "由": frozenset("artist 歌手 作者".split()),
}  # fmt: skip
_WHOM = frozenset("recipient receiver contact person payee whom 收件人 收款人 联系人 对方 宛先 相手".split())
_WHERE = frozenset("destination arrival address to 目的地 地址 行き先 到着".split())
_NOTED = frozenset("note text content message memo label name title 内容 备注 名称 标题".split())
CUES_UNSPACED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("给", "跟", "向", "告诉", "通知", "联系"), _WHOM), **dict.fromkeys(("往", "至", "去", "送到", "寄到"), _WHERE),
    **dict.fromkeys(("备注", "备注写", "内容是", "写着", "说", "叫", "叫做", "名字叫"), _NOTED),
}  # fmt: skip
"""The same in Chinese, for slots with names in English or in Chinese; a cue may have several letters."""
CUES_AFTER_UNSPACED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("に", "へ"), _WHOM | _WHERE | frozenset("room list place 部屋 場所 リスト".split())),
    **dict.fromkeys(("行き", "に行", "へ行", "に着", "まで"), _WHERE), **dict.fromkeys(("から", "発", "を出"), frozenset(
        "departure origin from departing source pickup 出発".split())),
    **dict.fromkeys(("って", "と伝", "と送", "と連絡", "とメ"), _NOTED),
}  # fmt: skip
"""Words after a value, in Japanese."""
SAID = frozenset("message text content body note say".split())
"""What a slot is called that holds what somebody says."""
CLAUSE_CUES: dict[str, frozenset[str]] = {
    "that": SAID, "saying": SAID, "says": SAID, "say": SAID,
    "to": frozenset("task todo remind reminder reminded about activity".split()),
}  # fmt: skip
"""Words before a clause that is a value: "tell Ann that I am late", "remind me to water the plants"."""
# Like CUES for words after a value (Japanese particles, English heads).
CUES_AFTER: dict[str, frozenset[str]] = {
    "から": frozenset("origin from departure 出发地 出発 出発地 start old".split()),
    "まで": frozenset("destination to arrival 目的地 到着 end".split()),
    "へ": frozenset("destination to 目的地".split()),
    "に": frozenset("playlist プレイリスト date time 日付 時間 datetime new".split()),
    "の": frozenset("location city artist 場所 都市".split()),
    "to": frozenset("origin from departure departing source start starting leaving pickup old".split()),
    "playlist": frozenset("playlist".split()),
    "people": frozenset("people party guests passengers number".split()),
    "stars": frozenset("rating value".split()),
    "minutes": frozenset("duration minutes time length".split()),
}

AFFIRMATIVE = frozenset(
    "yes yeah yep yup sure ok okay correct right absolutely definitely true on enable enabled activate with "
    "certainly affirmative please はい ええ うん そう オン 是 是的 好 好的 对 对的 可以 行 嗯 开 打开 开启".split()
)
NEGATIVE = frozenset(
    "no nope nah not never don't dont wrong incorrect false off disable disabled deactivate without negative none "
    "いいえ いや ううん 違う オフ 不 不是 不要 不用 没有 否 别 不行 不对 关 关闭 关掉".split()
)
INDIFFERENT = (
    "don't care", "dont care", "do not care", "doesn't matter", "does not matter", "don't mind", "do not mind",
    "either is fine", "any is fine", "anything is fine", "whatever", "no preference", "not particular", "up to you",
    "どちらでも", "どれでも", "なんでもいい", "何でもいい", "都可以", "都行", "随便", "无所谓",
)  # fmt: skip
# Words that turn what follows into its opposite or into a condition.
NEGATORS = frozenset(
    "not no don't dont doesn't isn't aren't except excluding without but never neither besides n't 不 别 不要 除了 没 以外 じゃない ではない 以外".split()
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of an identifier or a phrase: ``departing_city``, ``partySize``."""
    parts: list[str] = []
    current = ""
    for letter in name:
        if letter in "_-. /:,;()'\"’":
            parts.append(current)
            current = ""
        elif letter.isupper() and current and current[-1].islower():
            parts.append(current)
            current = letter
        else:
            current += letter
    return tuple(part.casefold() for part in [*parts, current] if part)


def stem(word: str) -> str:
    """A word without its English plural; other scripts as they are. "movies" is the plural of "movie" and "cities" that of
    "city": both end in y."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith("ie"):
        return word[:-2] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
