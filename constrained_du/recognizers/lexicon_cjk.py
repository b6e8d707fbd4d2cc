"""The Chinese and Japanese words of time, each with its tokens. Tables only.

A word may stand for several tokens (明晚: tomorrow, night); each has the length it takes of the word.
"""

from __future__ import annotations

from typing import Any

from constrained_du.recognizers.calendar import AFTERNOON, AM, EVENING, MORNING, NIGHT, NOONTIME, Part

Piece = tuple[str, Any, int]
"""(token class, value, code points)."""

_PARTS: dict[str, Part] = {
    "早上": MORNING, "上午": AM, "早晨": MORNING, "清晨": MORNING, "凌晨": AM, "清早": MORNING, "一大早": MORNING,
    "中午": NOONTIME, "下午": AFTERNOON, "午後": AFTERNOON, "午前": AM, "傍晚": EVENING, "晚上": NIGHT, "夜里": NIGHT,
    "夜裡": NIGHT, "夜晚": NIGHT, "半夜": NIGHT, "深夜": NIGHT, "晚间": NIGHT, "朝": MORNING, "昼": NOONTIME,
    "お昼": NOONTIME, "夕方": EVENING, "夜": NIGHT, "晩": NIGHT, "早朝": MORNING, "未明": AM, "晚": NIGHT, "ごご": AFTERNOON,
    "ごぜん": AM,
}  # fmt: skip
_DAYS: dict[str, int] = {
    "今天": 0, "今日": 0, "きょう": 0, "本日": 0, "明天": 1, "明日": 1, "あした": 1, "あす": 1, "后天": 2, "後天": 2,
    "明後日": 2, "あさって": 2, "大后天": 3, "大後天": 3, "しあさって": 3, "明々後日": 3, "昨天": -1, "昨日": -1,
    "きのう": -1, "前天": -2, "一昨日": -2, "おととい": -2, "大前天": -3, "翌日": 1, "明儿": 1, "今儿": 0,
}  # fmt: skip
_DAY_PARTS: dict[str, tuple[int, Part]] = {
    "今晚": (0, NIGHT), "今夜": (0, NIGHT), "今晩": (0, NIGHT), "今朝": (0, MORNING), "今早": (0, MORNING),
    "明早": (1, MORNING), "明晚": (1, NIGHT), "明晩": (1, NIGHT), "明朝": (1, MORNING), "昨晚": (-1, NIGHT),
    "昨晩": (-1, NIGHT), "昨夜": (-1, NIGHT), "后晚": (2, NIGHT), "当晚": (0, NIGHT),
}  # fmt: skip
_WEEKS: dict[str, int] = {
    "这周": 0, "本周": 0, "这星期": 0, "这个星期": 0, "本星期": 0, "这礼拜": 0, "这个礼拜": 0, "這週": 0, "本週": 0, "今週": 0,
    "下周": 1, "下星期": 1, "下个星期": 1, "下礼拜": 1, "下个礼拜": 1, "下週": 1, "来週": 1, "翌週": 1, "下一周": 1,
    "下下周": 2, "下下星期": 2, "下下个星期": 2, "再来週": 2, "上周": -1, "上星期": -1, "上个星期": -1, "上礼拜": -1,
    "上个礼拜": -1, "先週": -1, "上週": -1, "先々週": -2, "上上周": -2, "这一周": 0, "下個星期": 1, "這個星期": 0,
}  # fmt: skip
_MONTHS: dict[str, int] = {
    "这个月": 0, "本月": 0, "今月": 0, "这月": 0, "下个月": 1, "下月": 1, "来月": 1, "下個月": 1, "下下个月": 2, "再来月": 2,
    "上个月": -1, "上月": -1, "先月": -1, "這個月": 0,
}  # fmt: skip
_YEARS: dict[str, int] = {
    "今年": 0,
    "明年": 1,
    "来年": 1,
    "后年": 2,
    "再来年": 2,
    "去年": -1,
    "昨年": -1,
    "前年": -2,
}
_WEEKENDS: dict[str, int] = {
    "周末": 0, "週末": 0, "这周末": 0, "本周末": 0, "这个周末": 0, "今週末": 0, "この週末": 0, "下周末": 1, "下个周末": 1,
    "来週末": 1, "来週の週末": 1, "今週の週末": 0, "這週末": 0,
}  # fmt: skip
_UNITS: dict[str, str] = {
    "小时": "hour", "小時": "hour", "钟头": "hour", "鐘頭": "hour", "時間": "hour", "分钟": "minute", "分鐘": "minute",
    "分間": "minute", "秒钟": "second", "秒鐘": "second", "秒間": "second", "天": "day", "日間": "day", "周": "week",
    "星期": "week", "礼拜": "week", "週間": "week", "週": "week", "か月": "month", "ヶ月": "month", "カ月": "month",
    "ヵ月": "month", "ケ月": "month", "箇月": "month", "个月": "month", "個月": "month", "月間": "month", "年間": "year",
    "か月間": "month", "ヶ月間": "month", "周间": "week",
}  # fmt: skip
_CLASSES: dict[str, str] = {
    "CYEAR": "年", "CMONTH": "月 月份", "CDAY": "日 号 號", "CHOUR": "点 點 点钟 點鐘 時 时", "CMIN": "分", "CSEC": "秒",
    "CHALF": "半", "CQUARTER": "刻", "CQUARTERS": "刻钟 刻鐘", "CPIECE": "个 個 つ", "CHALFPIECE": "个半 個半",
    "CAFTER": "后 後 之后 以后 之後 以後 过后", "CBEFORE": "前 之前 以前 まえ", "CEVERY": "每 毎 每隔 每过",
    "CEACH": "ごと 毎に おき ごとに おきに", "CMINUS": "差", "CEXACT": "整 ちょうど ぴったり", "CPASS": "过 再过 過 再過 あと",
    "NO": "の 的", "TO": "到 至 から 〜", "COMMA": "、 ，", "OR": "或 或者 还是 か それとも", "AND": "和 と",
    "AT": "在 于", "CEND": "月末 月底", "NOW": "现在 現在 今すぐ 马上 立刻 即刻", "CFROMNOW": "从现在起 从现在开始 今から これから",
    "CDAILY": "每天 毎日 每日 天天", "CWEEKLY": "每周 毎週 每星期 每个星期 每個星期 每週 每礼拜 每个礼拜",
    "CMONTHLY": "每月 毎月 每个月 每個月", "CYEARLY": "每年 毎年", "WORKDAYS": "工作日 平日",
    "CERA": "令和",
    "CVETO": "线 線 楼 樓 门 室 房 馆 店 车厢 桌 厅 院 歳 岁 目 階 层", "UNTIL": "まで 为止 之间",
    "HOLD": "間に合 时间 時間割 時間帯 年代 日本 点击 点播 点歌 点餐 点赞 分享 分组 分類 分类 号码 年龄 月亮 月光 朝日 夜景 晚饭 晚餐 晚会 "
    "天气 天気 週刊 前回 後ろ 日记 日記 日程 日常 分かり 分から 分かる 分かっ 半分 半额 午后红茶 早餐 早饭 周杰伦 周围 昼食 夕食 朝食 夜食",
}  # fmt: skip
_HOLIDAYS: dict[str, tuple[int, int]] = {
    "元旦": (1, 1), "元日": (1, 1), "圣诞节": (12, 25), "聖誕節": (12, 25), "平安夜": (12, 24), "クリスマス": (12, 25),
    "クリスマスイブ": (12, 24), "大晦日": (12, 31), "国庆节": (10, 1), "国庆": (10, 1), "情人节": (2, 14), "劳动节": (5, 1),
    "バレンタインデー": (2, 14), "儿童节": (6, 1), "こどもの日": (5, 5), "万圣节": (10, 31), "ハロウィン": (10, 31),
}  # fmt: skip
_NOONS: dict[str, int] = {"正午": 12, "午夜": 0, "真夜中": 0, "子夜": 0}

LEXICON: dict[str, tuple[Piece, ...]] = {}
"""Folded word -> its tokens, in order."""


def _weekday_words() -> dict[str, int]:
    words: dict[str, int] = {}
    for prefix in ("周", "星期", "礼拜", "週", "禮拜"):
        words |= {prefix + day: number for number, day in enumerate("一二三四五六日")} | {prefix + "天": 6}
    for number, day in enumerate("月火水木金土日"):
        words |= {day + "曜日": number, day + "曜": number}
    return words


def _add(cls: str, words: dict[str, Any]) -> None:
    LEXICON.update({word: ((cls, value, len(word)),) for word, value in words.items()})


def _build() -> None:
    for cls, words in _CLASSES.items():
        _add(cls, {word: word for word in words.split()})
    _add("CUNIT", _UNITS)
    _add("PART", _PARTS)
    _add("REL", _DAYS)
    weekdays = _weekday_words()
    del weekdays["周天"], weekdays["週天"]
    _add("WEEKDAY", weekdays)
    _add("CWEEK", _WEEKS)
    _add("CMONTHREF", _MONTHS)
    for word, months in _MONTHS.items():
        for end in "末底":
            LEXICON[word + end] = (("CMONTHREF", months, len(word)), ("CEND", end, 1))
    _add("CYEARREF", _YEARS)
    _add("CWEEKEND", _WEEKENDS)
    _add("CHOLIDAY", _HOLIDAYS)
    _add("NOON", _NOONS)
    for word, (days, part) in _DAY_PARTS.items():
        LEXICON[word] = (("DAYPART", (days, part), len(word)),)
    for prefix, weeks in _WEEKS.items():
        for day, number in zip("一二三四五六日天", (0, 1, 2, 3, 4, 5, 6, 6), strict=True):
            if prefix[-1] in "周週期拜" and prefix not in ("今週", "来週", "先週"):
                LEXICON[prefix + day] = (("CWEEK", weeks, len(prefix)), ("WEEKDAY", number, 1))
    for prefix in _CLASSES["CWEEKLY"].split():
        for day, number in zip("一二三四五六日天", (0, 1, 2, 3, 4, 5, 6, 6), strict=True):
            if prefix != "毎週":
                LEXICON[prefix + day] = (("CWEEKLY", prefix, len(prefix)), ("WEEKDAY", number, 1))
    for word, part, length in (
        ("每晚", NIGHT, 1),
        ("毎晩", NIGHT, 1),
        ("毎朝", MORNING, 1),
        ("每早", MORNING, 1),
    ):
        LEXICON[word] = (("CDAILY", word, length), ("PART", part, 1))


_build()
LONGEST = max(map(len, LEXICON))
"""Code points of the longest word."""
