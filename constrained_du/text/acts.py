"""What an utterance does with a deed that it speaks of: it may forbid it, tell of it, ask about it, make it depend on
something or take it back, and in none of these cases ask for it.

Closed lists of English, tried on one utterance from its beginning; a clause that asks for something undoes them. Knows
texts only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from constrained_du.text.opposites import is_end, sides
from constrained_du.text.remarks import asks_rule
from constrained_du.text.words import is_mostly_unspaced

_OFF = sides("off")
LONGEST = 240  # letters of an utterance that is looked at; who says more asks for something


@dataclass(frozen=True, slots=True)
class Unasked:
    """Why nothing is asked for: ``kind`` (back, condition, question, forbidden, declined, kept, thanked, told, done).

    ``verb``: what is forbidden or done, if one word says it. ``wants_less``: who forbids it may ask for what ends it.
    """

    kind: str
    verb: str = ""
    wants_less: bool = False


def _any(*ways: str) -> str:
    return f"(?:{'|'.join(ways)})"


def _pattern(*ways: str) -> re.Pattern[str]:
    """A pattern for an utterance after its first courtesies: one of the ways."""
    return re.compile(_any(*ways))


_LEAD = re.compile(
    r"(?:(?:please|oh|no(?=[,.!;])|nope|nah|wait|sorry|hey|hi|hello|ok|okay|well|actually|so|and|but|listen|honestly|um|uh"
    r"|hm+|right|look"
    r"|excuse me|tell me|just curious|quick question|out of (?:interest|curiosity)|i wonder)\b[\s,.!:;…-]*)*"
)
"""What an utterance may begin with that says nothing of a deed."""
_END = r"[\s.!?…)'\"]*$"
_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|friend|mate|kid|son|daughter|mother|mom|mum|father|dad|brother|sister"
    r"|cousin|aunt"
    r"|uncle|gran(?:ny|dma|dpa|dad)?|nephew|niece|colleague|coworker|boss|manager|neighbou?r|flatmate|roommate|teacher"
    r"|doctor|nurse)s?"
)
_OTHERS = _any(
    "he", "she", "they", "somebody", "someone", "everybody", "everyone", "people", "nobody", "no one",
    rf"(?:my|our|his|her|their|the|a|some) (?:\w+ ){{0,2}}?{_KIN}",
    r"the (?:neighbou?rs|others|kids|government|council|staff|drivers?|guests|cleaners?|people)",
    r"(?:a|the|some) (?:guy|man|woman|lady|salesman|kid)(?: \w+){0,4}?", "you (?:lot|guys|people|folks)",
)  # fmt: skip
"""Who asks for nothing by what they do or say."""
_PAPERS = (
    r"(?:the|this|that|an?|your|my) (?:\w+ )?(?:sign|letter|poster|ad|advert|advertisement|email|e-mail|text|recipe|notice"
    r"|note|book|film"
    r"|movie|song|label|website|app|article|message|leaflet|manual)(?: \w+){0,4}?"
)
_PAST = (
    r"(?:(?!(?:need|feed|speed|bed|red|shed|hundred|indeed|seed|exceed|proceed)\b)[a-z]+ed|taken|given|driven|written|chosen"
    r"|broken|bought"
    r"|sent|paid|set|put|made|took|gave|got|rang|rung|left|shut|drove|wrote|lent|cut|woke|woken|sold|withdrew|withdrawn|kept"
    r"|spent)"
)

_SWITCHED = frozenset("turned turning switched switching".split())
_IRREGULAR = {
    "bought": "buy", "broken": "break", "chosen": "choose", "driven": "drive", "drove": "drive", "gave": "give", "given": "give",
    "got": "get", "kept": "keep", "left": "leave", "lent": "lend", "made": "make", "paid": "pay", "rang": "ring", "rung": "ring",
    "sent": "send", "sold": "sell", "spent": "spend", "taken": "take", "told": "tell", "took": "take", "withdrawn": "withdraw",
    "withdrew": "withdraw", "woke": "wake", "woken": "wake", "written": "write", "wrote": "write",
}  # fmt: skip

# ---- what asks for something all the same ------------------------------------------------

_DEEDS = """add apply arrange block book borrow bring buy call cancel change charge check clean clear close create delete
    deliver deposit disable drive drop email enable feed find fix get give go heat help hire hold keep leave lend
    lock log look lower make mark message move navigate note open order pause pay pick play postpone preheat put
    raise read redirect refill refund register remind remove renew rent reorder replace report reschedule reserve
    reset resume return ring schedule send set show shut skip split start stop switch sync take tell text track
    transfer try turn unlock update use vacuum wake water write"""
_ASKS = re.compile(
    r"(?:[,.;:!?…—-]+\s*|\b(?:but|so|and|then)\s+)(?:(?:so|but|and|then|ok|okay|just|actually|instead|now|no|please),?\s+)*"
    + _any(
        r"please\b(?!" + _END + ")", r"(?:can|could|would|will) (?:you|u)\b(?! (?:guys|lot|people))",
        r"(?:can|could|may) (?:i|we) (?:have|get)\b",
        r"i(?:'d| would) (?:like|love)\b", r"(?:(?:i|we) )?(?:want|need)\b", r"let's\b(?! (?:not|say|hold))",
        rf"(?:{'|'.join(_DEEDS.split())})\b(?!-|['’]s)",
    )
)  # fmt: skip
"""A clause after the first that asks for something."""
_ASKS_ANEW = re.compile(r"[.;!?]\s+(?:can|could|would|will|may|shall) (?!it\b|that\b|this\b|there\b)\w")
_SO = re.compile(
    r",? so (?!(?:i|we|he|she|they|it|that|the|this|my|there|far|what|annoying|sad|glad|good|bad|on|long|much|many|is|are"
    r"|am)\b|\w+ly\b)[a-z]+"
)

# ---- taken back: "book a table, no, forget it" ---------------------------------------------

_HEDGE = (
    r"(?:oh|no|nah|nope|wait|hm+|um|ah|actually|well|but|sorry|hang on|hold on|you know what|on (?:second|2nd) thoughts?"
    r"|on reflection"
    r"|come to think of it)[\s,.!…—-]+"
)
_STOP = r"[,.;:!?…—-]\s*"
_BACK = re.compile(
    r".*?\w.*?" + _any(
        rf"(?:{_STOP}|\s)+(?:{_HEDGE})*" + _any(
            "never ?mind(?: (?:that|it|me))?", "forget (?:it|that|about (?:it|that)|i (?:said|asked)(?: anything)?)",
            "(?:scratch|scrap|strike) that", "(?:i(?:'ve| have)? )?(?:just )?changed my mind", "(?:just )?(?:kidding|joking)",
        ),
        rf"(?:{_STOP}|\s{_HEDGE})+(?:{_HEDGE})*" + _any(
            "(?:skip|drop|ignore|disregard) (?:it|that|me)", "leave (?:it|them|that)(?: (?:as (?:it is|they are|is)|alone|be))?",
            "keep (?:it|them)", "(?:i|we)(?:'ll| will) (?:keep|leave) (?:it|them|that)", "do not",
            "don't(?: (?:bother|do (?:it|that)))?", "not (?:now|yet|any ?more)", "no(?:pe)?,? (?:don't|stop|thanks|thank you)",
            "stop", "let me (?:think|sleep)(?: (?:about|on) (?:it|that))?(?: (?:first|again))?",
            "i(?:'ll| will) (?:stay|pass|think about it)",
            "we (?:(?:'ve )?got|still have|have) (?:some|enough|plenty|one)(?: (?:left|already|here))?",
            "(?:i(?:'ve)? )?found (?:it|one|some|them)",
        ),
        rf"[\s,.;:!?…—-]+(?:{_HEDGE})+it's (?:fine|ok|okay|good|all ?right)(?: (?:as it is|like (?:this|that)|now))?",
    ) + r"(?:[\s,]+(?:please|thanks|thank you|sorry|after all|for now|then|actually|instead))*" + _END
)  # fmt: skip

_ONLY_BACK = _pattern(r"(?:never ?mind|forget (?:it|that)|don't(?: worry)?|it's (?:fine|ok|okay)|leave (?:it|them)|stop"
r"|keep (?:it|them))")
"""What takes back what was said in an earlier turn."""

# ---- asked about: "would it cost me anything to …?" ----------------------------------------

_QUESTION = _pattern(
    r"(?:does|will|would|did|might) (?!you\b|i\b|we\b|some(?:one|body)\b|any(?:one|body)\b|it be (?:possible|ok|okay|fine"
    r"|all ?right|an option"
    r"|(?:a |too much |any )?(?:problem|trouble|bother|much))\b)[a-z][\w'-]* ",
    r"(?:would|will|do|did) (?:i|we) (?:still |also |really |then |even )?(?:lose|pay|be (?:charged|able|refunded)|get|owe"
    r"|need|have to)\b",
    r"(?:can|could) (?:it|that|this|there|they) ", r"can (?!(?:this|us)\b)[a-z]+s \w+",
    r"(?:did (?:you|i|we)|have (?:you|i|we)|should (?:i|we)) ",
    r"(?:is|are) there (?:an?|any|some) (?:\w+ )?(?:fee|charge|cost|penalty|limit|rule|deadline|catch|risk|reason|point|way)s?\b",
    r"is it (?:really |very |too |that |still |ever )?(?:hard|difficult|easy|expensive|cheap|free|bad|safe|dangerous|risky"
    r"|worth|wise|smart|normal"
    r"|legal|allowed|a scam|true)\b",
    r"(?:am i|are (?:you|they|we)|is (?:it|he|she|the \w+)) (?:even |really |actually )?(?:allowed|supposed|entitled|capable)\b",
    r"do you (?:offer|provide|allow|charge|support|guys|people)\b",
    r"what(?:'s| is| are| was| were| does| do| did| would| will| happens| if)\b",
    r"(?:how (?:much|long|many|often|far|late|soon|early|big|bad)|how come)\b",
    r"(?:who|whose|which|why(?! not\b| don't (?:you|we)\b))\b", r"where (?:do|does|can|could|should|in|is|are)\b",
    r"how (?:do|does|can|could|would|should|did) (?:i|one|you|we|people|the|it|that|this|they)\b(?! get (?:to|from|there"
    r"|back|home)\b)",
    r"(?:suppose|supposing|imagine|say|assuming) (?:i|we|you|it|he|she|they|the|that)\b",
    r"if (?:i|we|you)\b.*[,?] ?(?:how|what|who|when|where|do|does|would|will|can|could|is|are|am)\b",
    r"(?:can|could|do|does|will) (?:you|it|this \w+|that \w+) (?:even|really|actually|always|ever|usually|normally)\b",
    r".* or not" + _END, r"is (?:an?|the) .* (?:enough|okay|ok|too (?:much|little|long|short|late|early))\b",
)
_FAVOUR = _pattern(r"(?:what|how) about\b")

# ---- on a condition: "if it rains, close the windows" ---------------------------------------

_POLITE_IF = _any(
    "possible", "you(?: can| could| would| don't mind| please| like| want| wouldn't mind|(?:'ve| have)(?: got)?"
    "(?: time| one| any| it| some| room| space))", "that's", "that is", "it's (?:possible|ok|okay|not|all ?right)", "so",
    "need(?:ed)?", "necessary", "available", "not", "i (?:may|might|could|can)", "any", "poss",
    "there(?:'s| is| are) (?:one|any|some|space|room|still|a)",
) + r"\b"  # fmt: skip
_ONCE = r"once (?!again\b|more\b|a\b|an\b|every\b|per\b|i'm\b)"
_CONDITION = _pattern(
    rf"(?:(?:only )?if (?!{_POLITE_IF})|unless |in case (?!you\b)|as soon as |{_ONCE}|provided |when(?:ever)? (?!you (?:can"
    rf"|get|have)\b))[^,]*?\w(?:,| then\b)"
    r" ?(?:please |then |just |can you |could you )*(?!(?:how|what|who|why|where|when|do|does|is|are|will|would)\b)\w",
)
_LAST_CONDITION = _pattern(
    r"(?!(?:stop|would|could|tell|let|remind|notify|alert|warn|ping|text|message|nudge|ask|check|see|know|i|we|is|are|do"
    r"|does|what|how|who|where|when|why|can i"
    rf"|could i)\b)[^?]*?\w,? (?:(?:but )?only if|(?<!and )if(?! {_POLITE_IF})|unless|{_ONCE.strip()}|as soon as"
    rf"|provided(?: that)?|in case|(?:only )?when"
    r" (?=(?:the|my|it|everybody|everyone|he|she|they|there)\b)) ?[a-z][\w']* \w[^?]*$"
)

# ---- forbidden: "hold off on …", "leave it alone" -------------------------------------------

_DONT = _pattern(
    r"(?:don't|do not|dont|never)(?: (?:you dare|go|dare|even think|bother|start|try|ever"
    r"|under any circumstances))*(?: (?:about|of|with|to))?"
    r" (?!(?:worry|forget|let|fail|hesitate|mind|care|know|have|think|see|you|feel|like|want|need|work|seem|understand"
    r"|remember)\b)(?P<verb>\w+)(?P<rest>.*)"
)
_BOUND = re.compile(
    r"\b(?:beyond|above|over|more than|less than|below|under|before|after|until|till|(?:later|earlier|longer) than|except"
    r"|unless|without)\b"
)
_FORBIDDEN = _pattern(
    r"(?:i|we)(?:'d| would) (?:(?:much |really )?(?:rather|sooner|prefer)(?: it if| that)?(?: you)? (?:not|didn't|don't|left"
    r"|kept|leave|keep|nobody|no one)"
    r"|hate (?:it if|for)|be (?:upset|cross|angry|furious) if)\b",
    r"(?:(?:i|we) (?:didn't|did not|never) (?:ask|want|tell|say)|(?:nobody|no one) (?:asked|told|wants|wanted)|(?:i|we)(?:'m"
    r"| am|'re| are) not asking)\b",
    r"(?:i|we) (?:don't|do not|dont) (?:wish|want|need) (?:you to|to be)\b", r"(?:you(?:'re| are) not (?:allowed|supposed))\b",
    r"you (?:mustn't|must not|shouldn't|should not|may not)\b",
    r"(?:the |my |your )?(?:[\w-]+ )?[\w-]+ (?:(?:is|are) not to|must not|mustn't|may not)\b",
    r"(?:under no circumstances|by no means|on no account|in no way|never ever|i never want|do nothing|whatever (?:you"
    r"|happens)[^,]*,? (?:do not|don't|never))\b",
    r"(?:i|we) (?:told|asked|said)\b.*\bnot to\b", r"do not,", r"(?:we|i) can (?:easily )?do without\b",
    r".*\? no way" + _END, r".*\bkeep your (?:hands|fingers) off\b",
    r"no (?!(?:need|problem|worries|idea|one|way|more|longer|doubt|matter|rush|hurry)\b)[a-z]+(?: \w+){0,4} (?:please|thanks"
    r"|thank you|for (?:me|us))" + _END,
    r".*\b(?:leave|keep|let)\b(?: [\w'-]+){0,10}? (?:alone|be|as (?:it is|they are|is|before|it was|they were)"
    r"|where (?:it is|they are)"
    r"|the way (?:it is|they are)|like (?:this|that)|untouched|in peace)(?:[\s.!,]|please|thanks|for now)*" + _END,
)
_NO_NEED = _pattern(
    r"(?:there(?:'s| is) )?(?:absolutely |really )?(?:no (?:need|reason|point|call)|it(?:'s| is) not necessary"
    r"|it isn't necessary|not necessary)"
    r"(?: (?:for you )?(?:to|in|for)(?: (?:an?|the|my|any))? (?P<a>\w+))?",
    r"(?:you|we|i) (?:needn't|don't (?:need|have) to|do not (?:need|have) to)(?: \w+ly)? (?P<b>\w+)",
    r"(?:let's |i'd like (?:you )?to |you (?:can|could) )?(?:hold off|wait|refrain|abstain) (?:on|from|with)(?: the"
    r"| my)? (?P<c>\w+)",
    r"(?:quit|avoid|stop|cease) (?P<d>\w+ing)\b", r"no (?P<e>\w+ing)\b(?! (?:section|zone|area|room))",
    r"(?:let's|let us) not (?P<f>\w+)",
    r"(?:i|we) (?:don't|do not|dont) (?:want|need)(?! (?:to (?:miss|forget|oversleep|be|lose|run|wait|worry)|(?:it|them"
    r"|anything|any|the \w+)? ?any ?more)\b)"
    r"(?: (?:you )?to (?P<i>\w+))?",
)
_STOPS_AT = re.compile(r"(?:stop|quit|cease) \w+ing\b.* (?:once|when|at|before|after)\b")
_WANTS_LESS = re.compile(
    r"^(?:(?:i|we) (?:don't|do not|dont|never) (?:want|need)|(?:stop|quit|avoid|cease) )|\b(?:any ?more|any longer|again)\b"
)
"""Who says so may want it ended: "I don't want the newsletter"."""
_DECLINED = _pattern(
    r"(?:we|i)(?:'m| am|'re| are) not (?:going to )?(?P<g>\w+)", r"(?:we|i) (?:won't|will not) be (?P<h>\w+ing)\b",
)
_KEPT = _pattern(
    r"(?:i(?:'d| would) (?:like|prefer) to |i want to |i'll |let me )?(?:keep|hang on to|hold on to) (?:my|the|our|that|this)\b"
    r"(?! (?:heating|temperature|volume|brightness|speed|room|house|lights?)\b)",
    r".*\b(?:stays?|remains?|keeps? running|is staying) (?:on|in|there|put|where|running|active|as)\b",
)

# ---- told: "I already cancelled it", "they should really …" ---------------------------------

_TOLD = _pattern(
    rf"(?:in the \w+,? )?(?:{_OTHERS}|{_PAPERS}|(?!i\b|we\b|you\b)[a-z]+) (?:just |also |keeps? |kept |once "
    rf"|misheard me and |always )*"
    r"(?:says?(?! \d)|said|saying|told (?:me|us|him|her|them|everyone)(?! you)|goes|went|shouts?|shouted|shouting|yells?"
    r"|yelled|yelling|wrote|writes|reads"
    r"|texted(?: me)?|asked (?:me )?(?:if|whether|why|how) |whisper(?:s|ed)|joked|claims?|claimed|thinks?|thought)\b",
    rf"(?:{_OTHERS}|(?!(?:it|this|that|i|we|you|lights?|heating)\b)[a-z]+) (?:really |maybe |probably )?(?:should"
    rf"|ought to)(?: really| have)? (?!(?:be|get|have|see|know|hear|receive)\b)\w",
    rf"(?:i|we|{_OTHERS}) (?:might|may)\b", rf"maybe (?:i|we|{_OTHERS})(?:'ll|'d| will| might| could| should)\b",
    r"(?:i|we)(?:'m| am|'re| are|'ve been| was| were) (?:just |still |only )*(?:thinking (?:of|about)|considering|not sure"
    r"|toying|tempted|debating|undecided"
    r"|wondering (?:whether|if|about)(?! (?:you|i|we|it) (?:could|can|may|might|would)))\b",
    r"(?:i|we) (?:was|were|wanted|meant|planned|had)(?: going| about| planning| hoping)? to \w+.*\bbut\b",
    "if only", r"(?:one|some) ?day (?:i|we)\b",
    rf"(?:i|we)(?:'d| would| could| should) have {_PAST}\b", r"(?:i|we) could have\b",
    r"i wish\b(?! to\b| you(?:'d| would| could))",
    r"(?:i|we)(?:'ll| will|'m going to|'re going to)\b.*\b(?:myself|ourselves|when i (?:get|have|feel)|some ?(?:day|time)"
    r"|one day|if i (?:feel|get))\b",
    r"you (?:always|never|keep|constantly) ",
    r"(?:the|your|that|this|my|our)(?: [\w'-]+){1,6}? (?:is|was|are|were|has been|'s) (?:(?:so|really|just|absolutely|simply"
    r"|pretty|quite|such) )*(?:an? )?"
    r"(?:absolute |total |complete )?(?:awful|terrible|horrible|disgusting|rubbish|useless|dreadful|rip-?off|disgrace|joke"
    r"|nightmare|annoying|appalling"
    r"|overpriced|disappointing)\b[^,;]*" + _END,
    r".*\b(?:not impressed|so annoying|shame on you|never again|takes ages)\b[^,;]*" + _END,
)
_THANKED = _pattern(
    r"(?:(?:great|good|brilliant|perfect|lovely|cool|super|nice)[\s,.!]+)?(?:(?:many )?thanks|thank you|thx|cheers|ta|kudos"
    r"|well done)"
    r"(?: so much| very much| a lot| again)? for (?:the|your|that|this|\w+ing)\b",
)
_SUBJECT = rf"(?:i|we|{_OTHERS}|(?:my|our|the) (?:\w+ ){{0,2}}?\w+)"
_SINCE = r"(?:'ve|'s| have| has| had)? (?:already |just |never |only |also )*"
_ALIKE = r"(?:set|put|cut|shut|read|let)"  # now and then
_DONE = (
    _pattern(rf"(?:\S+ ){{1,4}}?(?:was|were|has been|have been|had been|got) (?:already )?(?P<did>{_PAST})\b"),
    _pattern(rf"{_SUBJECT}{_SINCE}(?P<did>{_PAST})\b(?! my mind)"),
    re.compile(rf"(?!(?:please|just|kindly|now|then|my|our|your|the|an?|this|that|these|those|all|every|any|some|no|more|add"
    rf"|i)\b)[a-z]+(?: and i)?{_SINCE}(?P<did>(?!{_ALIKE}\b){_PAST})\b"),
)


# ---- in scripts without spaces ---------------------------------------------------------------

_UNSPACED = (
    ("back", re.compile(
        r".+[，,。.！!…、\s](?:哎|啊|哦|嗯|不|不对|等等)?[，,\s]*(?:还是)?(?:算了|不用了|不要了|当我没说|别弄了|先不了)(?:吧|谢谢|，|,)*[。.！!~\s]*$"
        r"|.+[、。.…！!\s](?:あ|いや|えっと)?[、,\s]*(?:やっぱり?(?:いい|やめ|なし|忘れ|大丈夫)|なんでもない|今のなし|今のは?忘れ).{0,8}$"
    )),
    ("condition", re.compile(
        r"^(?:请)?(?:如果|要是|假如|万一|除非)(?!可以|方便|能|有空|可能|没问题|没有|有的话|您|你).{2,}?[，,就].+|^もし(?!よ|可能|でき|お|空|あ).{2,}?(?:たら|なら|れば).+"
    )),
    ("question", re.compile(
        r"(?:要多少钱|收费吗|收不收费|要钱吗|要不要钱|会不会|会怎么?样|怎么(?!走|去|样|还|了)(?:才能)?.{2,}|如何.{2,}|是什么意思)"
        r"[^，,。]*[？?。！!吗呢\s]*$"
        r"|(?:いくら|料金|手数料).{0,10}(?:です|かか|ます|の)か?[？?。\s]*$"
        r"|どうやって|どうすれば|どうしたら|やり方|の仕方|どうなり?ます?か?[？?]"
    )),
    ("told", re.compile(
        r"已经.+了[。.！!啦啊\s]*$"
        r"|^(?!.*(?:から|ので|けど|が)).*もう.+(?:した|ました|てある|てあります)(?:よ|から)?[。.！!\s]*$"
    )),
)
"""Chinese and Japanese, by what is most often said."""


def _unspaced(text: str) -> Unasked | None:
    kind = next((kind for kind, pattern in _UNSPACED if pattern.search(text)), None)
    if kind is None or (kind in ("question", "told") and _FAVOUR_UNSPACED.search(text)):
        return None
    return Unasked(kind)


_FAVOUR_UNSPACED = re.compile("帮我|请帮|麻烦|给我|ください|下さい|お願い|してもら|していただ|てくれ")


@lru_cache(maxsize=256)
def unasked(text: str) -> Unasked | None:
    """What keeps an utterance from asking for what it speaks of, if anything does."""
    said = " ".join(text.replace("’", "'").casefold().split())
    if len(said) > LONGEST:
        return None
    if is_mostly_unspaced(said):
        return _unspaced(said)
    lead = _LEAD.match(said)
    said = said[lead.end() if lead is not None else 0 :]
    if _BACK.match(said) is not None and _ONLY_BACK.match(said) is None:
        return Unasked("back")
    if _CONDITION.match(said) or _LAST_CONDITION.match(said):
        return Unasked("condition")
    if _goes_on(said):
        return None
    return _forbids(said) or _speaks_of(said)


def turn(text: str) -> int | None:
    """Where an utterance that begins by forbidding something goes on to what is asked for: "don't open it, close it"."""
    said = text.replace("’", "'").casefold()
    lead = _LEAD.match(said)
    start = lead.end() if lead is not None else 0
    if len(said) != len(text) or len(said) > LONGEST or not any(p.match(said, start) for p in (_NO_NEED, _DONT, _FORBIDDEN)):
        return None
    return next((found.start() for found in _ASKS.finditer(said, start + 1)), None)


def _forbids(said: str) -> Unasked | None:
    named = _NO_NEED.match(said)
    dont = None if named is not None else _DONT.match(said)
    if dont is not None and _BOUND.search(dont["rest"]):
        return None  # "don't charge beyond 80 percent" says how far
    if _STOPS_AT.match(said) is not None:
        return None
    if named is None and dont is None and _FORBIDDEN.match(said) is None:
        return Unasked("kept") if _KEPT.match(said) is not None else None
    verb = dont["verb"] if dont is not None else _word(named)
    meant = sides(said)
    ends = is_end(meant) or meant >= _OFF
    return Unasked("forbidden", verb, not ends and _WANTS_LESS.search(said) is not None)


def _speaks_of(said: str) -> Unasked | None:
    if (_QUESTION.match(said) is not None and _FAVOUR.match(said) is None) or asks_rule(said):
        return Unasked("question")
    if (declined := _DECLINED.match(said)) is not None:
        return Unasked("declined", _word(declined))
    if _THANKED.match(said) is not None:
        return Unasked("thanked")
    if _TOLD.match(said) is not None:
        return Unasked("told")
    found = next((match for pattern in _DONE if (match := pattern.match(said)) is not None), None)
    return None if found is None else Unasked("done", found["did"])


def bases(verb: str) -> frozenset[str]:
    """What a form of a verb may be a form of, itself included: "cancelled" of "cancel", "bought" of "buy"."""
    found = {verb, _IRREGULAR.get(verb, verb), *({"turn", "switch", "set"} if verb in _SWITCHED else ())}
    for ending in ("ing", "ed"):
        if verb.endswith(ending) and len(verb) > len(ending) + 1:
            root = verb.removesuffix(ending)
            found |= {root, root + "e", root[:-1] if root[-1] == root[-2] else root, root[:-1] + "y" if root[-1] == "i" else root}
    return frozenset(found)


def _word(found: re.Match[str] | None) -> str:
    return "" if found is None else next((word for word in found.groups() if word), "")


def _goes_on(said: str) -> bool:
    """Whether a clause after the first asks for something."""
    anew = _ASKS_ANEW.search(said) or _SO.search(said)
    return anew is not None or any(found.start() > 0 for found in _ASKS.finditer(said))
