"""Lights as Home Assistant has them: Python functions in, calls of these functions out.

    python examples/light_control.py "turn the kitchen light on" "dim the bedroom to 30 percent"

The signatures and docstrings are the whole specification; `dispatch` hands over real enums and
integers, checked, and runs nothing when an answer cannot be carried out.
"""

import sys
from enum import Enum
from typing import Annotated

from pydantic import Field

from constrained_du import Converter, InputError


class Area(Enum):
    KITCHEN = "kitchen"
    BEDROOM = "bedroom"
    HALLWAY = "hallway"


state = {area: {"on": False, "brightness": 100} for area in Area}


def turn_on(area: Area) -> str:
    """Switch the light on.

    :param area: the room whose light it is
    """
    state[area]["on"] = True
    return f"light.{area.value}: on"


def turn_off(area: Area) -> str:
    """Switch the light off.

    :param area: the room whose light it is
    """
    state[area]["on"] = False
    return f"light.{area.value}: off"


def set_brightness(area: Area, percent: Annotated[int, Field(ge=1, le=100)]) -> str:
    """Dim or brighten the light to a percentage.

    :param area: the room whose light it is
    :param percent: the brightness in percent
    """
    state[area].update(on=True, brightness=percent)
    return f"light.{area.value}: on, brightness {percent} %"


converter = Converter.from_functions(turn_on, turn_off, set_brightness)
converter.add_exemplars({
    "turn_on": [{"template": "turn on the <area> light"}, {"template": "lights on in the <area>"}],
    "turn_off": [{"template": "turn off the <area> light"}, {"template": "lights off in the <area>"}],
    "set_brightness": [{"template": "dim the <area> to <percent> percent"}, {"template": "<area> light to <percent>"}],
})
converter.finalize()

for utterance in sys.argv[1:] or ["turn the kitchen light on", "dim the bedroom to 30 percent", "lights off"]:
    result = converter.convert(utterance)
    try:
        print(*result.dispatch() or ["not understood"])
    except InputError as problem:  # something is missing: the message has the question
        print(result[0].clarification or problem)
