"""The text of small grammars in the three notations, by heart."""

from __future__ import annotations

from samples import bound

from constrained_du.grammar.compile import Binder
from constrained_du.grammar.emit import to_gbnf, to_lark, to_regex
from constrained_du.grammar.grammar import Grammar
from constrained_du.specs.spec import read_specs

LAMP = {"on": {"type": "boolean"}, "room": {"enum": ["kitchen", "kiosk", "hall"]}}
LAMP_GBNF = r"""root ::= call-0 | call-none
call-0 ::= "{\"name\":\"set_lamp\",\"arguments\":" "{" call-0-from-0-0 "}" "}"
call-0-from-0-0 ::= "\"on\":" call-0-0 call-0-from-1-1 | call-0-from-1-0
call-0-0 ::= "false" | "true"
call-0-from-1-1 ::= (",\"room\":" call-0-1)?
call-0-1 ::= "\"" ("hall\"" | "ki" ("osk\"" | "tchen\""))
call-0-from-1-0 ::= ("\"room\":" call-0-1)?
call-none ::= "{\"name\":\"do_not_understand\",\"arguments\":" "{}" "}"
"""
LAMP_LARK = r"""start: ROOT
ROOT: CALL_0 | CALL_NONE
CALL_0: "{\"name\":\"set_lamp\",\"arguments\":" "{" CALL_0_FROM_0_0 "}" "}"
CALL_0_FROM_0_0: "\"on\":" CALL_0_0 CALL_0_FROM_1_1 | CALL_0_FROM_1_0
CALL_0_0: "false" | "true"
CALL_0_FROM_1_1: (",\"room\":" CALL_0_1)?
CALL_0_1: "\"" ("hall\"" | "ki" ("osk\"" | "tchen\""))
CALL_0_FROM_1_0: ("\"room\":" CALL_0_1)?
CALL_NONE: "{\"name\":\"do_not_understand\",\"arguments\":" "{}" "}"
"""
LAMP_REGEX = (
    r'(?:\{"name":"set_lamp","arguments":\{(?:"on":(?:false|true)(?:(?:,"room":(?:"(?:hall"|ki(?:osk"|tchen"))))?)'
    r'|(?:(?:"room":(?:"(?:hall"|ki(?:osk"|tchen"))))?))\}\})|(?:\{"name":"do_not_understand","arguments":\{\}\})'
)
GO_GBNF = r"""root ::= call-0
call-0 ::= "{\"name\":\"go\",\"arguments\":" "{" call-0-from-0-0 "}" "}"
call-0-from-0-0 ::= ("\"to\":" span-0)?
span-0 ::= "\"" (words-0-0 | words-0-2 | words-0-3 | words-0-5) "\""
words-0-0 ::= "to" ("" | words-0-1)
words-0-1 ::= " " words-0-2
words-0-2 ::= "\\\"" ("" | words-0-3)
words-0-3 ::= "New" ("" | words-0-4)
words-0-4 ::= " " words-0-5
words-0-5 ::= "Rome"
"""
TREE_LARK = r"""start: root
root: call_0 | CALL_NONE
call_0: "{\"name\":\"tree\",\"arguments\":" "{" call_0_from_0_0 "}" "}"
call_0_from_0_0: ("\"t\":[" ("" | def_0_0 ("," def_0_0)?) "]")?
def_0_0: "[" ("" | def_0_0 ("," def_0_0)?) "]"
CALL_NONE: "{\"name\":\"do_not_understand\",\"arguments\":" "{}" "}"
"""
FREE_GBNF = r"""root ::= call-0
call-0 ::= "{\"name\":\"note\",\"arguments\":" "{" call-0-from-0-0 "}" "}"
call-0-from-0-0 ::= "\"code\":\"" call-0-0-state-0 "\"" call-0-from-1-1 | call-0-from-1-0
call-0-0-state-0 ::= ([\U00006771] | "\\\"") call-0-0-state-1
call-0-0-state-1 ::= "" | [0-9] call-0-0-state-2
call-0-0-state-2 ::= ""
call-0-from-1-1 ::= (",\"tags\":[" call-0-1-used-3 "]")?
call-0-1-used-3 ::= "" | "\"a\"" call-0-1-used-1 | "\"b\"" call-0-1-used-2
call-0-1-used-1 ::= "" | ",\"b\""
call-0-1-used-2 ::= "" | ",\"a\""
call-0-from-1-0 ::= ("\"tags\":[" call-0-1-used-3 "]")?
"""


def test_the_text_of_a_small_grammar_is_known_by_heart() -> None:
    grammar = bound(LAMP, label="set_lamp")
    assert to_gbnf(grammar) == LAMP_GBNF
    assert to_lark(grammar) == LAMP_LARK
    assert to_regex(grammar) == LAMP_REGEX


def test_the_text_of_spans_is_known_by_heart() -> None:
    assert to_gbnf(bound({"to": {"type": "string"}}, 'to "New Rome?', "go", fallback=False)) == GO_GBNF


def test_the_text_of_a_recursive_grammar_is_known_by_heart() -> None:
    tree = {"type": "array", "items": {"$ref": "#/$defs/t"}, "maxItems": 2}
    parameters = {"type": "object", "properties": {"t": {"$ref": "#/$defs/t"}}, "$defs": {"t": tree}}
    [function] = read_specs([{"name": "tree", "parameters": parameters}])
    assert to_lark(Grammar((Binder("x").bind(function),))) == TREE_LARK


def test_the_text_of_free_and_distinct_values_is_known_by_heart() -> None:
    properties = {
        "code": {"type": "string", "x-value": "free", "pattern": '^["東]\\d?$'},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
    }
    assert to_gbnf(bound(properties, label="note", fallback=False)) == FREE_GBNF
