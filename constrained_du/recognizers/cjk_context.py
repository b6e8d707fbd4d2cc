"""Tells Chinese and Japanese numerals that count something from those inside a word.

一 to 九, 百, 千 are letters of ten thousand words (统一, 千葉, 三明治, 一緒). A numeral is taken
for a number only where its neighbours say so.
"""

from __future__ import annotations

import re

_WEEKDAY_PREFIX = ("周", "週", "星期", "礼拜", "禮拜")
_COUNTERS = re.compile(
    r"[个個人名位张張台只匹本杯瓶枚冊册回次遍度℃元块圆円毛斤克吨米里公层層楼階阶级級号號番室线岁歳才年月日天周週星"
    r"礼小時时点點分秒刻倍颗粒支枝片套份件条根双对盒箱袋包把辆部家间門门节課课页章集档格段台曲首局场場票席桌组組"
    r"种種桁泊夜晚泡口头頭代%°キミセメパグリポドユつ毫平方英厘カヶか箇]"
)
_CLOSES = re.compile(r"[\s\W_a-z0-9にをではがとかもへのまだよねで到至和与或跟吧呢的就左以]|より|から|くらい|ぐらい|$")
_OPENS = frozenset("到至为為成是选選第量度加减減乘和与或号版级位调設设于在的は、，を に:。はがにをで：,(（ ")
_NOT_NUMBERS = re.compile(
    r"一(?:下|起|些|样|樣|直|定|般|切|边|邊|共|旦|会儿|會兒|会|路|生|部|番(?!目|线|線|ホ|乗)|緒|応|覧|時停|概|向|律|再|瞬|心"
    r"|半|同|气|致|流|旁|帆|刻(?!钟|鐘)|家人|方面|口气|点(?!钟|鐘|半|整|[一二三四五0-9十零]|分|刻)|"
    r"點(?!鐘|半|整|[一二三四五0-9十零]|分|刻))"
    r"|三(?:星|明治|角|重|亚|菱|井|国)|四(?:国|川|季|谷|條|条河)|五(?:道口|反田|棵松)|六本木|七(?:夕|五三)|八(?:王子|折|卦|百屋|つ橋)|九(?:州|份)"
    r"|十分(?!钟|鐘|間|后|後|前|之|で|に|$|\W)|千(?:葉|代田|万(?:别|不|要|记))|百(?:度(?:地图|搜)|合|货|貨)|万(?:一|事|达|能)"
)
_NOT_BEFORE = ("统", "統", "唯", "同", "单", "専", "双", "几", "幾", "数", "數", "万", "もう", "周", "週", "第")


def after_weekday_prefix(folded: str, start: int) -> bool:
    """Whether the numeral at ``start`` names a day of the week (周三, 星期三)."""
    return folded[start] in "一二三四五六" and any(folded.endswith(name, 0, start) for name in _WEEKDAY_PREFIX)


def stands_as_number(folded: str, start: int, end: int) -> bool:
    """Whether the numeral [start, end) is a number here: it counts, or nothing but particles touch it."""
    if _NOT_NUMBERS.match(folded, start):
        return False
    if any(folded.endswith(word, 0, start) for word in _NOT_BEFORE):
        return False
    if _COUNTERS.match(folded, end):
        return True
    if not _CLOSES.match(folded, end):
        return end - start > 1
    return end - start > 1 or start == 0 or not _is_han(folded[start - 1]) or folded[start - 1] in _OPENS


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"
