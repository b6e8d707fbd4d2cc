"""An endpoint of your own: FastAPI around one converter.

    pip install fastapi uvicorn && uvicorn --app-dir examples web_app:app
    curl -d '{"text": "set a timer for ten minutes"}' -H 'Content-Type: application/json' localhost:8000/understand

For OpenAI's API and a page to play on there is `constrained-du serve`.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from constrained_du import Converter, InputError

DOMAIN = Path(__file__).resolve().parent.parent / "grammars" / "home_en"
SURE = 0.5  # below it, ask back: choose your own on your own lines (`constrained-du eval --plots`)

converter = Converter()
converter.add_function_specs(DOMAIN / "specs.json")
converter.add_exemplars(DOMAIN / "exemplars.json")
converter.add_recognizers(DOMAIN / "recognizers.json")
converter.finalize()

app = FastAPI(title="What did they want?")


class Heard(BaseModel):
    text: str
    now: datetime | None = None


class Understood(BaseModel):
    function: str
    arguments: dict[str, Any]
    confidence: float
    sure: bool
    question: str | None


@app.post("/understand")
async def understand(heard: Heard) -> Understood:
    try:
        result = await converter.aconvert(heard.text, now=heard.now)
    except InputError as problem:
        raise HTTPException(422, str(problem)) from None
    call = result[0]
    return Understood(
        function=call.name, arguments=dict(call.arguments), confidence=result.confidence,
        sure=result.confidence >= SURE, question=call.clarification,
    )  # fmt: skip
