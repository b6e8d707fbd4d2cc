"""A train planner whose screens are functions: what is said becomes a deep link of the app.

    python examples/train_planner.py "ams utr" "I have to be in Rotterdam at 3 pm"

`x-link` beside each function of grammars/city_app_en/specs.json is the link's template.
"""

import sys
from pathlib import Path

from constrained_du import Converter
from constrained_du.links import link

DOMAIN = Path(__file__).resolve().parent.parent / "grammars" / "city_app_en"

converter = Converter()
converter.add_function_specs(DOMAIN / "specs.json")
converter.add_exemplars(DOMAIN / "exemplars.json")
converter.add_recognizers(DOMAIN / "recognizers.json")
converter.finalize()
specs = {spec["label"]: spec for spec in converter.specs}

for utterance in sys.argv[1:] or ["ams utr", "I have to be in Rotterdam at 3 pm", "open the settings"]:
    call = converter.convert(utterance)[0]
    url = link(specs[call.name], call) if call.understood else None
    print(f"cityapp://{url}" if url else "cityapp://home", call.clarification or "")
