"""A voice assistant without the microphone: each line of stdin is what was heard.

    printf '%s\n' "book me a table for four at 7pm" "on Friday" | python examples/voice_loop.py

Replace `sys.stdin` by your speech recogniser and `print` by your voice.
"""

import sys
from datetime import datetime
from pathlib import Path

from constrained_du import Converter, Session

DOMAIN = Path(__file__).resolve().parent.parent / "grammars" / "restaurant_en"

converter = Converter()
converter.add_function_specs(DOMAIN / "specs.json")
converter.add_exemplars(DOMAIN / "exemplars.json")
converter.add_recognizers(DOMAIN / "recognizers.json")
converter.add_conversation_functions("en")  # "never mind", "say that again", "help", …
converter.finalize()

session = Session(converter)
for heard in filter(None, map(str.strip, sys.stdin)):
    turn = session.say(heard, now=datetime.now())
    if turn.complete:
        print(f"do: {turn.call.to_json()}", flush=True)
    elif turn.question:
        print(f"ask: {turn.question}", flush=True)
    elif turn.result.understood:
        print(f"hear: {turn.call.name}", flush=True)  # abort_intent, repeat, …
    else:
        print("say: Sorry?", flush=True)
