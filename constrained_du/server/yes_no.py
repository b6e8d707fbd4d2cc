"""Whether an answer to a yes-or-no question says yes, no, “I don't mind”, or something else.

A domain of four functions like any other; what none of them fits is irrelevant, too.
"""

from __future__ import annotations

from constrained_du.server.compiled import Documents
from constrained_du.types import Result

IRRELEVANT = "Irrelevant"

SURE = 0.5
"""An answer that is likelier wrong than right is irrelevant: the runtime then looks for other meanings."""

_SPECS = {
    "Affirmative": "The user says yes: agrees, confirms, accepts, wants it.",
    "Negative": "The user says no: refuses, declines, denies, does not want it.",
    "Indifferent": "The user does not care: either is fine, no preference, it does not matter.",
    IRRELEVANT: "The user asks a question, wants something else done, or names a thing, place, time or number.",
}
_EXEMPLARS = {
    "Affirmative": """yes|yes please|yeah|yep|yup|sure|sure thing|ok|okay|of course|absolutely|yes absolutely|definitely
        |certainly|correct|that is right|that's right|right|exactly|sounds good|go ahead|please do|i do|i am|fine by me
        |that works|i can handle that|let's do it|go for it|yes i am sure|i would love to|はい|ええ|うん|そうです
        |お願いします|もちろん|是|是的|对|好|好的|可以|行|没问题|当然""",
    "Negative": """no|no thanks|no thank you|nope|nah|not really|not now|never|don't|please don't|i don't want that
        |i don't think so|i would rather not|absolutely not|of course not|no way|that is wrong|that's not right
        |incorrect|cancel that|not at all|i'm afraid not|not that one|いいえ|いや|いりません|違います|結構です
        |不|不是|不要|不用|不行|不对|不可以|算了""",
    "Indifferent": """i don't care|i don't mind|either is fine|whatever|any will do|anything is fine|it doesn't matter
        |doesn't matter|no preference|up to you|you choose|both are fine|i have no preference|whichever|as you like
        |どちらでもいい|何でもいい|任せます|都可以|随便|无所谓|都行""",
    IRRELEVANT: """how much is it|what is that|who is it|where is it|when does it start|why|how do I get there
        |which one is cheaper|can you help me with something|is there a discount|what do you have|tell me more about it
        |show me the list|find me a hotel|book a flight|play some music|turn off the lamp|call my mother|set an alarm
        |I need a taxi|I want to buy a ticket|I would like to order a pizza|add milk to the list|remind me to call him
        |Berlin|tomorrow morning|seven|two children|John Smith|the red car|hello|thank you|what did you say
        |いくらですか|どこですか|明日の朝|多少钱|在哪里|明天早上|帮我订一张票""",
}



def verdict(result: Result) -> str:
    """OpenCUI's word for what was understood."""
    return result.calls[0].name if result.understood and result.confidence >= SURE else IRRELEVANT


DOCUMENTS = Documents(
    [{"label": label, "name": [label.lower()], "description": text} for label, text in _SPECS.items()],
    {label: [text.strip() for text in said.split("|")] for label, said in _EXEMPLARS.items()},
)
