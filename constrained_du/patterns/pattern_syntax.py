"""Reads the notation of patterns: text in, a syntax tree out.

The dialect is the common core of ECMA 262 that function specs use: literals, ``.``, classes,
``\\d \\w \\s`` (``\\d`` and ``\\w`` ASCII, as ECMA has them) and their negations, groups,
alternation, greedy or lazy quantifiers, ``^`` and ``$``. Look-around, back references,
``\\b`` and ``\\p`` are refused. Knows nothing of how a tree is matched.
"""

from __future__ import annotations

import string
from dataclasses import dataclass

from constrained_du.patterns.automata import MAX_CODE_POINT, PatternError, Ranges, complement, normalise

MAX_NESTING = 100  # the parser is recursive; Python's own limit is near 1000 frames

_LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_DIGIT = normalise([(0x30, 0x39)])
_WORD = normalise([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_SPACE = normalise(
    [(0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)]
    + [(0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)]
)
_CLASSES: dict[str, Ranges] = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CLASSES |= {name.upper(): complement(ranges) for name, ranges in list(_CLASSES.items())}
_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "0": 0x00}


# ---- the syntax tree ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Set:
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Anchor:
    at_start: bool


@dataclass(frozen=True, slots=True)
class Seq:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    node: Node
    least: int
    most: int | None


Node = Set | Anchor | Seq | Alt | Repeat


class Parser:
    """One pattern, read by recursive descent. Every problem is a PatternError."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.depth = 0

    def parse(self) -> Node:
        node = self.alternation()
        if self.at < len(self.text):
            raise self.error("a ) that closes nothing")
        return node

    def error(self, problem: str) -> PatternError:
        return PatternError(f"{problem} at character {self.at} of the pattern")

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def alternation(self) -> Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"groups nested deeper than {MAX_NESTING}")
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.quantified())
        return parts[0] if len(parts) == 1 else Seq(tuple(parts))

    def quantified(self) -> Node:
        is_anchor = self.peek() in ("^", "$")
        node = self.atom()
        bounds = self.quantifier()
        if bounds is None:
            return node
        if is_anchor:
            raise self.error("a repeated anchor")
        self.take("?")  # laziness changes what is captured, not what matches
        if self.peek() in ("*", "+", "?", "{"):
            raise self.error(f"a {self.peek()} that repeats a repetition (write a group)")
        return Repeat(node, *bounds)

    def quantifier(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(sign):
                return bounds
        if self.peek() != "{":
            return None
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at + 1 : end].partition(",") if end > 0 else ("", "", "")
        if not _is_count(least) or (most and not _is_count(most)):
            raise self.error("a { that begins no repetition (write \\{)")
        self.at = end + 1
        low, high = int(least), int(most) if most else (None if comma else int(least))
        if high is not None and high < low:
            raise self.error(f"a repetition from {low} to {high}")
        return low, high

    def atom(self) -> Node:
        if self.take("^"):
            return Anchor(at_start=True)
        if self.take("$"):
            return Anchor(at_start=False)
        if self.take("."):
            return Set(complement(_LINE_ENDS))
        if self.take("("):
            return self.group()
        if self.take("["):
            return Set(self.character_class())
        if self.take("\\"):
            return Set(self.escape())
        if self.peek() in "*+?{":
            raise self.error(f"a {self.peek()} that repeats nothing")
        self.at += 1
        return Set(_single(ord(self.text[self.at - 1])))

    def group(self) -> Node:
        if self.take("?") and not self.take(":"):
            if not self.take("<") or self.peek() in "=!":
                raise self.error("look-around or a flag, which is not supported")
            self.at = self.text.find(">", self.at) + 1 or len(self.text)
        node = self.alternation()
        if not self.take(")"):
            raise self.error("a ( that is not closed")
        return node

    def character_class(self) -> Ranges:
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if self.at >= len(self.text):
                raise self.error("a [ that is not closed")
            low = self.class_item()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.class_item()
                if len(low) != 1 or len(high) != 1 or low[0][0] > high[0][1]:
                    raise self.error("a range that is none")
                low = ((low[0][0], high[0][1]),)
            ranges.extend(low)
        found = normalise(ranges)
        return complement(found) if negated else found

    def class_item(self) -> Ranges:
        if self.take("\\"):
            if self.take("b"):
                return _single(0x08)
            return self.escape()
        self.at += 1
        return _single(ord(self.text[self.at - 1]))

    def escape(self) -> Ranges:
        letter = self.peek()
        self.at += 1
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _CONTROLS:
            return _single(_CONTROLS[letter])
        if letter == "x":
            return _single(self.hexadecimal(2))
        if letter == "u":
            return _single(self.unicode_escape())
        if not letter or letter in string.ascii_letters + string.digits:
            raise self.error(f"\\{letter}, which is not supported")
        return _single(ord(letter))

    def unicode_escape(self) -> int:
        """``\\u0041``, ``\\u{1F600}``, or a surrogate pair of two escapes, as one code point."""
        if self.take("{"):
            end = self.text.find("}", self.at)
            return self.hexadecimal(end - self.at if end >= 0 else 0, closing="}")
        high = self.hexadecimal(4)
        if 0xD800 <= high <= 0xDBFF and self.text[self.at : self.at + 2] == "\\u":
            before, self.at = self.at, self.at + 2
            low = self.hexadecimal(4)
            if 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            self.at = before
        return high

    def hexadecimal(self, digits: int, closing: str = "") -> int:
        text = self.text[self.at : self.at + digits]
        if not text or len(text) < digits or any(c not in string.hexdigits for c in text):
            raise self.error("an escape without its hexadecimal digits")
        if int(text, 16) > MAX_CODE_POINT:
            raise self.error("an escape beyond the last code point")
        self.at += digits + len(closing)
        return int(text, 16)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 6


def _single(code_point: int) -> Ranges:
    return ((code_point, code_point),)
