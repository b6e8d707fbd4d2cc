"""What the peers are asked: two domains, each as functions in plain JSON Schema and labelled utterances.

Knows no system; ``peers_worker`` gives each what it wants to have. A home of twenty functions is written
here, SNIPS is read from the data folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Domain:
    """Functions in OpenAI's style, and lines of (utterance, the right function)."""

    name: str
    tools: tuple[Mapping[str, Any], ...]
    lines: tuple[tuple[str, str], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(tool["name"] for tool in self.tools)


ROOM = {"type": "string", "description": "the room"}
ON = {"type": "boolean", "description": "true for on, false for off"}
ITEM = {"type": "string", "description": "what it is"}
WHO = {"type": "string", "description": "the person"}
PLACE = {"type": "string", "description": "the place"}
WHEN = {"type": "string", "description": "the day or time, as it was said"}
AMOUNT = {"type": "integer", "minimum": 0, "maximum": 1000, "description": "how many"}
LEVEL = {"type": "integer", "minimum": 0, "maximum": 100, "description": "per cent"}

_HOME: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("switch_light", "Turn the light of a room on or off.", {"room": ROOM, "on": ON}),
    ("dim_light", "Set how bright a light is.", {"room": ROOM, "brightness": LEVEL}),
    ("set_heating", "Set the temperature that the heating keeps.", {"room": ROOM, "degrees": AMOUNT}),
    ("lock_door", "Lock or unlock a door.", {"door": {"enum": ["front", "back", "garage"], "description": "which door"}}),
    ("move_blinds", "Open or close the blinds or shutters.", {"room": ROOM}),
    ("start_vacuum", "Let the robot vacuum clean.", {"room": ROOM}),
    ("set_alarm", "Wake the user at a time.", {"time": WHEN}),
    ("start_timer", "Count down minutes and ring.", {"minutes": AMOUNT}),
    ("remind", "Remind the user of something later.", {"what": ITEM, "when": WHEN}),
    ("add_to_shopping_list", "Put something on the shopping list.", {"item": ITEM, "amount": AMOUNT}),
    ("play_radio", "Play a radio station.", {"station": {"type": "string", "description": "the station"}}),
    ("set_volume", "Make the sound louder or quieter.", {"volume": LEVEL}),
    ("call_person", "Telephone somebody.", {"person": WHO}),
    ("send_message", "Write a text message to somebody.", {"person": WHO, "text": ITEM}),
    ("weather_forecast", "Tell what the weather will be.", {"place": PLACE, "when": WHEN}),
    ("find_route", "Give directions to a place.", {"place": PLACE}),
    ("order_taxi", "Order a taxi to a place.", {"place": PLACE, "when": WHEN}),
    ("read_news", "Read the news of a subject aloud.", {"subject": ITEM}),
    ("convert_currency", "Convert an amount of money.", {"amount": AMOUNT, "currency": {"enum": ["euro", "dollar", "yen"]}}),
    ("translate", "Say a phrase in another language.", {"phrase": ITEM, "language": {"enum": ["French", "German", "Japanese"]}}),
)  # fmt: skip

_HOME_LINES = (
    ("switch off the lamp in the hallway", "switch_light"),
    ("could you bring the kitchen light down to 30 percent", "dim_light"),
    ("keep the nursery at 21 degrees", "set_heating"),
    ("did I leave the back door open? lock it please", "lock_door"),
    ("close the shutters in the study", "move_blinds"),
    ("the living room carpet needs a hoover", "start_vacuum"),
    ("wake me at half past six", "set_alarm"),
    ("count down 12 minutes for the eggs", "start_timer"),
    ("don't let me forget to pay the rent on Friday", "remind"),
    ("we are out of oat milk, put two on the list", "add_to_shopping_list"),
    ("put on Radio Paradise", "play_radio"),
    ("that is far too loud, go to 20 percent", "set_volume"),
    ("ring my sister Anna", "call_person"),
    ("text Ben that I am running late", "send_message"),
    ("will it rain in Bergen tomorrow", "weather_forecast"),
    ("how do I get to the botanical garden", "find_route"),
    ("I need a cab to the airport at five", "order_taxi"),
    ("what is new in cycling", "read_news"),
    ("how much is 40 dollars in our money", "convert_currency"),
    ("how do you say good evening in Japanese", "translate"),
)


def home() -> Domain:
    """Twenty functions of a house and its people, one line each."""
    tools = tuple(
        {"name": name, "description": text, "parameters": {"type": "object", "properties": slots, "required": []}}
        for name, text, slots in _HOME
    )
    return Domain("home, 20 functions", tools, _HOME_LINES)


def snips(data: Path) -> Domain:
    """Seven functions whose slots are all plain strings; the development lines."""
    specs = json.loads((data / "snips" / "functions.json").read_text("utf-8"))
    tools = tuple(
        {"name": spec["label"], "description": spec["description"], "parameters": spec["parameters"]} for spec in specs
    )
    rows = [json.loads(line) for line in (data / "snips" / "dev.jsonl").read_text("utf-8").splitlines()]
    lines = tuple((row["utterance"], row["calls"][0]["name"]) for row in rows if row["calls"])
    return Domain("snips, 7 functions", tools, lines)


def spread(lines: tuple[tuple[str, str], ...], most: int) -> tuple[tuple[str, str], ...]:
    """At most so many lines, taken evenly."""
    return lines if len(lines) <= most else tuple(lines[number * len(lines) // most] for number in range(most))
