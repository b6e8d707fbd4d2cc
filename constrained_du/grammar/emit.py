"""Writes a grammar as GBNF (llama.cpp), Lark (llguidance) or a regex (Outlines).

All three are written from one set of productions and are the same bytes for equal grammars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from constrained_du.errors import GrammarError
from constrained_du.grammar.grammar import Grammar
from constrained_du.grammar.productions import Productions, lower
from constrained_du.patterns.expressions import Cat, Chars, Expr, Lit, Or, Rep, Sym

MAX_REGEX = 2_000_000  # characters; Outlines' own compiler gives up far earlier


def to_gbnf(grammar: Grammar) -> str:
    """The grammar in llama.cpp's notation; the rule ``root`` is the answer."""
    productions = lower(grammar)
    lines = [f"{name} ::= {_gbnf(expr)}" for name, expr in _root_first(productions)]
    return "\n".join(lines) + "\n"


def to_lark(grammar: Grammar) -> str:
    """The grammar in llguidance's Lark: one terminal, so that its lexer never has a choice.

    Recursive rules cannot be terminals; they stay rules over self-delimiting terminals.
    """
    productions = lower(grammar)
    spoken = _non_regular(productions)
    names = {name: _lark_name(name, name in spoken) for name in productions.rules}
    root = names[productions.root]
    lines = [f"start: {root}"]
    for name, expr in _root_first(productions):
        lines.append(f"{names[name]}: {_lark(expr, names)}")
    return "\n".join(lines) + "\n"


def to_regex(grammar: Grammar) -> str:
    """The grammar as one regular expression (anchored by its reader).

    Raises GrammarError where the grammar is recursive or the text too long.
    """
    productions = lower(grammar)
    if _non_regular(productions):
        raise GrammarError("a recursive schema has no regex - use --gbnf or --lark")
    lengths: dict[str, int] = {}
    for name, expr in _in_order(productions):
        lengths[name] = _regex_length(expr, lengths)
        if lengths[name] > MAX_REGEX:
            raise GrammarError(f"the regex is longer than {MAX_REGEX} characters - use --gbnf or --lark")
    return _regex(productions)


def _root_first(productions: Productions) -> list[tuple[str, Expr]]:
    """Only the rules that the root reaches, the root first, in order of first use."""
    reached: dict[str, None] = {}
    stack = [productions.root]
    while stack:
        name = stack.pop()
        if name not in reached:
            reached[name] = None
            stack.extend(reversed(_symbols(productions.rules[name])))
    return [(name, productions.rules[name]) for name in reached]


def _in_order(productions: Productions) -> list[tuple[str, Expr]]:
    """The reached rules, each after those it uses; for productions without a cycle."""
    done: dict[str, None] = {}
    stack: list[tuple[str, bool]] = [(productions.root, False)]
    while stack:
        name, ready = stack.pop()
        if name in done:
            continue
        if ready:
            done[name] = None
            continue
        stack.append((name, True))
        stack.extend((inner, False) for inner in _symbols(productions.rules[name]))
    return [(name, productions.rules[name]) for name in done]


def _symbols(expr: Expr) -> list[str]:
    match expr:
        case Sym(name):
            return [name]
        case Cat(parts) | Or(parts):
            return [name for part in parts for name in _symbols(part)]
        case Rep(inner):
            return _symbols(inner)
        case _:
            return []


def _non_regular(productions: Productions) -> frozenset[str]:
    """The rules that are part of a cycle or use one."""
    users: dict[str, set[str]] = {}
    uses = {name: set(_symbols(expr)) for name, expr in productions.rules.items()}
    for name, used in uses.items():
        for other in used:
            users.setdefault(other, set()).add(name)
    cyclic = {name for name in productions.recursive & uses.keys() if _reaches(name, name, uses)}
    stack, found = list(cyclic), set(cyclic)
    while stack:
        for user in users.get(stack.pop(), ()):
            if user not in found:
                found.add(user)
                stack.append(user)
    return frozenset(found)


def _reaches(start: str, goal: str, uses: dict[str, set[str]]) -> bool:
    stack, seen = list(uses.get(start, ())), set()
    while stack:
        name = stack.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            stack.extend(uses.get(name, ()))
    return False


# ---- the three notations -----------------------------------------------------------------


def _bounds(rep: Rep) -> str:
    match (rep.least, rep.most):
        case (0, None):
            return "*"
        case (1, None):
            return "+"
        case (0, 1):
            return "?"
        case (least, None):
            return f"{{{least},}}"
        case (least, most) if least == most:
            return f"{{{least}}}"
        case (least, most):
            return f"{{{least},{most}}}"


def _written(expr: Expr, write: Callable[[Expr], str], between: str, alternative: str, group: str) -> str:
    """What the notations have in common: sequence, choice and repetition."""
    match expr:
        case Cat(parts):
            return between.join(f"{group}{write(p)})" if isinstance(p, Or) else write(p) for p in parts)
        case Or(options):
            return alternative.join(write(option) for option in options)
        case Rep(inner):
            simple = isinstance(inner, Chars | Sym) and group != "(?:"
            text = write(inner)
            return (text if simple or isinstance(inner, Chars) else f"{group}{text})") + _bounds(expr)
        case _:
            raise AssertionError(expr)


def _gbnf(expr: Expr) -> str:
    match expr:
        case Lit(text):
            return f'"{text.translate(_GBNF_TEXT)}"'
        case Chars(ranges):
            return "[" + "".join(_range(low, high, _gbnf_point) for low, high in ranges) + "]"
        case Sym(name):
            return name
        case _:
            return _written(expr, _gbnf, " ", " | ", "(")


_CONTROLS = (*range(0x20), 0x7F)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_GBNF_TEXT = str.maketrans({**{chr(point): f"\\x{point:02x}" for point in _CONTROLS}, **_ESCAPES})
_LARK_TEXT = str.maketrans({**{chr(point): f"\\u{point:04x}" for point in _CONTROLS}, **_ESCAPES})
_REGEX_TEXT = str.maketrans(
    {**{chr(point): f"\\x{point:02x}" for point in _CONTROLS}, **{character: f"\\{character}" for character in "\\.+*?()|[]{}^$"}}
)


def _gbnf_point(code_point: int) -> str:
    if chr(code_point) in "[]\\^-\"":
        return f"\\x{code_point:02x}"
    if 0x21 <= code_point < 0x7F:
        return chr(code_point)
    return f"\\x{code_point:02X}" if code_point < 0x100 else f"\\U{code_point:08X}"


def _range(low: int, high: int, point: Callable[[int], str]) -> str:
    return point(low) if low == high else f"{point(low)}-{point(high)}"


def _lark_name(name: str, is_rule: bool) -> str:
    plain = name.replace("-", "_")
    return plain if is_rule else plain.upper()


def _lark(expr: Expr, names: dict[str, str]) -> str:
    match expr:
        case Lit(text):
            return f'"{text.translate(_LARK_TEXT)}"'
        case Chars(ranges):
            return "/[" + "".join(_range(low, high, _regex_point) for low, high in ranges) + "]/"
        case Sym(name):
            return names[name]
        case _:
            return _written(expr, lambda inner: _lark(inner, names), " ", " | ", "(")


def _regex_point(code_point: int) -> str:
    """As itself beyond ASCII: readers differ in their escapes for these."""
    character = chr(code_point)
    return character if code_point >= 0x80 or character.isalnum() else f"\\x{code_point:02x}"


def _regex_length(expr: Expr, lengths: Mapping[str, int]) -> int:
    """The length of what ``_regex`` writes; names stand for what they name."""
    names = dict.fromkeys(_symbols(expr))
    text = _regex_text(expr, dict.fromkeys(names, "\0"))
    return len(text) + sum((lengths[name] - 1) * count for name, count in Counter(_symbols(expr)).items())


def _regex(productions: Productions) -> str:
    """The root with every name replaced by what it names; no part is written before it is whole."""
    pieces: list[str] = []
    split = {name: _split(expr) for name, expr in _in_order(productions)}
    stack: list[str | Sym] = [Sym(productions.root)]
    while stack:
        top = stack.pop()
        if isinstance(top, Sym):
            stack.extend(reversed(split[top.name]))
        else:
            pieces.append(top)
    return "".join(pieces)


def _split(expr: Expr) -> list[str | Sym]:
    """The text of an expression, cut where the names stand."""
    names = _symbols(expr)
    texts = _regex_text(expr, dict.fromkeys(names, "\0")).split("\0")
    cut: list[str | Sym] = [texts[0]]
    for name, text in zip(names, texts[1:], strict=True):
        cut += [Sym(name), text]
    return cut


def _regex_text(expr: Expr, written: Mapping[str, str]) -> str:
    match expr:
        case Lit(text):
            return text.translate(_REGEX_TEXT)
        case Chars(ranges):
            return "[" + "".join(_range(low, high, _regex_point) for low, high in ranges) + "]"
        case Sym(name):
            return f"(?:{written[name]})"
        case _:
            return _written(expr, lambda inner: _regex_text(inner, written), "", "|", "(?:")
