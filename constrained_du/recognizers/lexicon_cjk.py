"""The Chinese and Japanese words of time, each with its tokens. Tables only.

A word may stand for several tokens (明晚: tomorrow, night); each has the length it takes of the word.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from constrained_du.recognizers.calendar import AFTERNOON, AM, EVENING, MORNING, NIGHT, NOONTIME, Part

Piece = tuple[str, Any, int]
"""(token class, value, code points)."""

_PARTS: dict[Part, str] = {
    MORNING: "早上 早晨 清晨 清早 一大早 朝 早朝",
    AM: "上午 凌晨 午前 未明 ごぜん",
    NOONTIME: "中午 昼 お昼",
    AFTERNOON: "下午 午後 ごご",
    EVENING: "傍晚 夕方",
    NIGHT: "夜中 晚上 夜里 夜裡 夜晚 半夜 深夜 晚间 夜 晩 晚",
}
_DAYS: dict[int, str] = {
    0: "今天 今日 きょう 本日 今儿",
    1: "明天 明日 あした あす 翌日 明儿",
    2: "后天 後天 明後日 あさって",
    3: "大后天 大後天 しあさって 明々後日",
    -1: "昨天 昨日 きのう",
    -2: "前天 一昨日 おととい",
    -3: "大前天",
}
_DAY_PARTS: dict[tuple[int, Part], str] = {
    (0, NIGHT): "今晚 今夜 今晩 当晚",
    (0, MORNING): "今朝 今早",
    (1, MORNING): "明早 明朝",
    (1, NIGHT): "明晚 明晩",
    (-1, NIGHT): "昨晚 昨晩 昨夜",
    (2, NIGHT): "后晚",
}
_WEEKS: dict[int, str] = {
    0: "这周 本周 这星期 这个星期 本星期 这礼拜 这个礼拜 這週 本週 今週 这一周 這個星期",
    1: "下周 下星期 下个星期 下礼拜 下个礼拜 下週 来週 翌週 下一周 下個星期",
    2: "下下周 下下星期 下下个星期 再来週",
    -1: "上周 上星期 上个星期 上礼拜 上个礼拜 先週 上週",
    -2: "先々週 上上周",
}
_MONTHS: dict[int, str] = {
    0: "这个月 本月 今月 这月 這個月",
    1: "下个月 下月 来月 下個月",
    2: "下下个月 再来月",
    -1: "上个月 上月 先月",
}
_YEARS: dict[int, str] = {
    0: "今年",
    1: "明年 来年",
    2: "后年 再来年",
    -1: "去年 昨年",
    -2: "前年",
}
_WEEKENDS: dict[int, str] = {
    0: "周末 週末 这周末 本周末 这个周末 今週末 この週末 今週の週末 這週末 土日",
    1: "下周末 下个周末 来週末 来週の週末",
}
_UNITS: dict[str, str] = {
    "hour": "小时 小時 钟头 鐘頭 時間",
    "minute": "分钟 分鐘 分間",
    "second": "秒钟 秒鐘 秒間",
    "day": "天 日間",
    "week": "周 星期 礼拜 週間 週 周间",
    "month": "か月 ヶ月 カ月 ヵ月 ケ月 箇月 个月 個月 月間 か月間 ヶ月間",
    "year": "年間",
}
_CLASSES: dict[str, str] = {
    "CYEAR": "年",
    "CMONTH": "月 月份",
    "CDAY": "日 号 號",
    "CHOUR": "点 點 点钟 點鐘 時 时",
    "CMIN": "分",
    "CSEC": "秒",
    "CHALF": "半",
    "CQUARTER": "刻",
    "CQUARTERS": "刻钟 刻鐘",
    "CPIECE": "个 個 つ",
    "CHALFPIECE": "个半 個半",
    "CAFTER": "后 後 之后 以后 之後 以後 过后",
    "CBEFORE": "前 之前 以前 まえ",
    "CEVERY": "每 毎 每隔 每过",
    "CEACH": "ごと 毎に おき ごとに おきに",
    "CMINUS": "差",
    "CEXACT": "整 ちょうど ぴったり",
    "CPASS": "过 再过 過 再過 あと",
    "NO": "の 的",
    "TO": "到 至 から 〜",
    "COMMA": "、 ，",
    "OR": "或 或者 还是 か それとも",
    "AND": "和 と",
    "AT": "在 于",
    "CEND": "月末 月底",
    "NOW": "现在 現在 今すぐ 马上 立刻 即刻",
    "CFROMNOW": "从现在起 从现在开始 今から これから",
    "CDAILY": "每天 毎日 每日 天天",
    "CWEEKLY": "每周 毎週 每星期 每个星期 每個星期 每週 每礼拜 每个礼拜",
    "CMONTHLY": "每月 毎月 每个月 每個月",
    "CYEARLY": "每年 毎年",
    "WORKDAYS": "工作日 平日",
    "CERA": "令和",
    "CNTH": "第",
    "CVETO": "线 線 楼 樓 门 室 房 馆 店 车厢 桌 厅 院 歳 岁 目 階 层",
    "UNTIL": "まで 为止 之间",
    "HOLD": (
        "間に合 时间 時間割 時間帯 年代 日本 点击 点播 点歌 点餐 点赞 分享 分组 分類 分类 号码 年龄 月亮 "
        "月光 朝日 夜景 晚饭 晚餐 晚会 天气 天気 週刊 前回 後ろ 日记 日記 日程 日常 分かり 分から 分かる "
        "分かっ 半分 半额 午后红茶 早餐 早饭 周杰伦 周围 昼食 夕食 朝食 夜食 "
        "今日子 昼寝 昼間 夜間 夜明け 朝刊 今日头条 明日方舟 明日香 夜市"
    ),
}
_HOLIDAYS: dict[tuple[int, int], str] = {
    (1, 1): "元旦 元日",
    (12, 25): "圣诞节 聖誕節 クリスマス",
    (12, 24): "平安夜 クリスマスイブ",
    (12, 31): "大晦日",
    (10, 1): "国庆节 国庆",
    (2, 14): "情人节 バレンタインデー",
    (5, 1): "劳动节",
    (6, 1): "儿童节",
    (5, 5): "こどもの日",
    (10, 31): "万圣节 ハロウィン",
}
_NOONS: dict[int, str] = {
    12: "正午",
    0: "午夜 真夜中 子夜",
}

LEXICON: dict[str, tuple[Piece, ...]] = {}
"""Folded word -> its tokens, in order."""


_WEEK_NAMES = ("周", "星期", "礼拜", "週", "禮拜")
_DAY_NUMBERS = "一二三四五六日"
_COUNTED_BEHIND = ("次", "天", "回", "遍", "小时", "個", "个")
"""After 周三 these make a count of it: 每周三次 is three times a week, not Wednesday."""


def _weekday_words() -> dict[int, str]:
    words = {}
    for number, (chinese, japanese) in enumerate(zip(_DAY_NUMBERS, "月火水木金土日", strict=True)):
        names = [name + chinese for name in _WEEK_NAMES] + [japanese + "曜日", japanese + "曜"]
        words[number] = " ".join(names + ["星期天", "礼拜天", "禮拜天"] * (number == 6))
    return words


def _add(cls: str, words: Mapping[Any, str]) -> None:
    for value, names in words.items():
        LEXICON.update({name: ((cls, value, len(name)),) for name in names.split()})


def _add_with_weekday(cls: str, value: Any, prefix: str) -> None:
    """下周二 and 每周二: two tokens in one word; 下周二次 and 每周二次 hold no weekday."""
    for number, day in enumerate(_DAY_NUMBERS + "天"):
        LEXICON[prefix + day] = ((cls, value, len(prefix)), ("WEEKDAY", min(number, 6), 1))
        if number < 6:
            _hold_counts(prefix + day)


def _hold_counts(word: str) -> None:
    for counted in _COUNTED_BEHIND:
        LEXICON[word + counted] = (("HOLD", None, len(word + counted)),)


def _build() -> None:
    for cls, names in _CLASSES.items():
        LEXICON.update({name: ((cls, name, len(name)),) for name in names.split()})
    for cls, words in _TABLES.items():
        _add(cls, words)
    for names in _weekday_words().values():
        for name in names.split():
            if name[:-1] in _WEEK_NAMES and name[-1] in _DAY_NUMBERS[:6]:
                _hold_counts(name)
    for months, names in _MONTHS.items():
        for word, end in product(names.split(), "末底"):
            LEXICON[word + end] = (("CMONTHREF", months, len(word)), ("CEND", end, 1))
    for weeks, names in _WEEKS.items():
        for word in names.split():
            if word not in ("今週", "来週", "先週", "再来週", "先々週", "翌週"):
                _add_with_weekday("CWEEK", weeks, word)
    for word in _CLASSES["CWEEKLY"].split():
        if word != "毎週":
            _add_with_weekday("CWEEKLY", word, word)
    for word, part in (("每晚", NIGHT), ("毎晩", NIGHT), ("毎朝", MORNING), ("每早", MORNING)):
        LEXICON[word] = (("CDAILY", word[0], 1), ("PART", part, 1))


_TABLES: dict[str, Mapping[Any, str]] = {
    "CUNIT": _UNITS,
    "PART": _PARTS,
    "REL": _DAYS,
    "DAYPART": _DAY_PARTS,
    "WEEKDAY": _weekday_words(),
    "CWEEK": _WEEKS,
    "CMONTHREF": _MONTHS,
    "CYEARREF": _YEARS,
    "CWEEKEND": _WEEKENDS,
    "CHOLIDAY": _HOLIDAYS,
    "NOON": _NOONS,
}
_build()
LONGEST = max(map(len, LEXICON))
"""Code points of the longest word."""
