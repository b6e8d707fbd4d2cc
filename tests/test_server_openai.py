"""OpenAI's own Python client, unmodified, against a real server with the default model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from pydantic import BaseModel, Field
from served import Served, served

from constrained_du import Converter

pytestmark = pytest.mark.model

WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["location"],
        },
    },
}
BOOKING = "book me a table for four at 7pm"


@pytest.fixture(scope="module")
def server(artifact_of: Callable[[str], Path]) -> Iterator[Served]:
    with served(artifact_of("restaurant_en"), "--alias", "gpt-4o") as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any", max_retries=0) as one:
        yield one


def user(text: str) -> Any:
    return [{"role": "user", "content": text}]


def ask(client: openai.OpenAI, text: str, **more: Any) -> Any:
    return client.chat.completions.create(model="restaurant_en", messages=user(text), **more)


# ---- scripts that people publish -------------------------------------------------------------


def test_a_published_two_step_script_runs_with_another_base_url(client: openai.OpenAI) -> None:
    def get_current_weather(location: str, unit: str = "fahrenheit") -> str:
        return json.dumps({"location": location, "temperature": "22", "unit": unit})

    messages: Any = user("What's the weather like in San Francisco, Tokyo, and Paris?")
    first = client.chat.completions.create(model="gpt-4o", messages=messages, tools=[WEATHER], tool_choice="auto")
    answer = first.choices[0].message
    assert first.choices[0].finish_reason == "tool_calls" and answer.content is None and answer.tool_calls
    messages.append(answer)
    for call in answer.tool_calls:
        assert call.type == "function"
        result = get_current_weather(**json.loads(call.function.arguments))
        messages.append({"tool_call_id": call.id, "role": "tool", "name": call.function.name, "content": result})
    second = client.chat.completions.create(model="gpt-4o", messages=messages, tools=[WEATHER])
    text = second.choices[0].message.content
    assert text is not None and second.choices[0].finish_reason == "stop"
    for city in ("San Francisco", "Tokyo", "Paris"):
        assert f"location {city}, temperature 22" in text
    assert "writes no prose" in text


def test_a_published_script_of_the_older_kind_runs(client: openai.OpenAI) -> None:
    messages: Any = user("What's the weather like in Boston?")
    functions: Any = [WEATHER["function"]]
    first = client.chat.completions.create(
        model="gpt-4o", messages=messages, functions=functions, function_call="auto"
    )
    said = first.choices[0].message
    assert first.choices[0].finish_reason == "function_call" and said.function_call is not None
    assert said.function_call.name == "get_current_weather"
    assert json.loads(said.function_call.arguments) == {"location": "Boston"}
    messages += [said, {"role": "function", "name": said.function_call.name, "content": "22 degrees"}]
    second = client.chat.completions.create(model="gpt-4o", messages=messages, functions=functions)
    assert 'get_current_weather(location="Boston"): 22 degrees' in (second.choices[0].message.content or "")


def test_the_parsing_client_gets_its_own_model_back(client: openai.OpenAI) -> None:
    class SendMoney(BaseModel):
        """Send an amount of money to a friend."""

        amount: int = Field(description="how much money to send")

    parsed = client.chat.completions.parse(
        model="gpt-4o", messages=user("send 20 dollars to my friend"), tools=[openai.pydantic_function_tool(SendMoney)],
        tool_choice="required",
    )  # fmt: skip
    (call,) = parsed.choices[0].message.tool_calls or ()
    assert call.function.parsed_arguments == SendMoney(amount=20)


# ---- the artifact's functions ----------------------------------------------------------------


def test_the_answer_is_the_local_converters(client: openai.OpenAI, converter_of: Callable[[str], Converter]) -> None:
    given = ask(client, BOOKING)
    local = converter_of("restaurant_en").convert(BOOKING, max_calls=8)
    message = given.choices[0].message.model_dump(exclude_none=True)
    expected = local.to_openai()
    assert message["tool_calls"] == expected["tool_calls"]
    assert given.choices[0].constrained_du["confidence"] == pytest.approx(local.confidence)
    assert given.choices[0].constrained_du["calls"][0]["spans"] == {"party_size": [20, 24], "time": [28, 31]}
    assert given.choices[0].constrained_du["calls"][0]["missing"] == ["date"]
    assert given.usage.prompt_tokens == local.stats.tokens_evaluated


def test_models_are_the_domains(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["restaurant_en"]
    assert client.models.retrieve("restaurant_en").owned_by == "constrained_du"


NAMED: Any = {"type": "function", "function": {"name": "show_menu"}}
ALLOWED: Any = {
    "type": "allowed_tools",
    "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "call_taxi"}}]},
}
CHOICES: list[tuple[str, Any, str, str | None]] = [
    ("auto calls what fits", "auto", BOOKING, "book_table"),
    ("auto may say that nothing fits", "auto", "asdf qwer zxcv", None),
    ("none never calls", "none", BOOKING, None),
    ("a name is called", NAMED, BOOKING, "show_menu"),
    ("allowed tools leave no other", ALLOWED, BOOKING, "call_taxi"),
]


@pytest.mark.parametrize(("choice", "text", "name"), [row[1:] for row in CHOICES], ids=[row[0] for row in CHOICES])
def test_tool_choice_means_what_it_means(client: openai.OpenAI, choice: Any, text: str, name: str | None) -> None:
    answer = ask(client, text, tool_choice=choice).choices[0]
    if name is None:
        assert answer.finish_reason == "stop" and answer.message.tool_calls is None
        assert answer.message.content.startswith("I did not understand")
        assert answer.constrained_du["understood"] is False
    else:
        assert [call.function.name for call in answer.message.tool_calls] == [name]


def test_required_always_calls(client: openai.OpenAI) -> None:
    assert ask(client, "asdf qwer zxcv", tool_choice="required").choices[0].message.tool_calls


def test_what_openai_has_no_field_for_travels_beside_it(client: openai.OpenAI) -> None:
    extra: dict[str, Any] = {"entities": {"restaurant": [[15, 31, "R-17"]]}, "now": "2023-07-11T09:00:00"}
    answer = ask(client, "table for 6 at Sunny Side Diner on Friday", extra_body=extra).choices[0].message
    arguments = json.loads(answer.tool_calls[0].function.arguments)
    assert arguments == {"restaurant": "R-17", "party_size": 6, "date": "2023-07-14"}
    asked = ask(client, "Boston", extra_body={"expectations": [["departing_city", "book_train"]]}).choices[0].message
    assert asked.tool_calls[0].function.name == "book_train"


def test_a_missing_slot_can_be_asked_for_instead_of_called(client: openai.OpenAI) -> None:
    answer = ask(client, BOOKING, extra_body={"on_missing": "ask"}).choices[0]
    assert answer.finish_reason == "stop" and "date?" in answer.message.content
    assert answer.constrained_du["calls"][0]["name"] == "book_table"


def test_earlier_user_messages_are_history(client: openai.OpenAI, converter_of: Callable[[str], Converter]) -> None:
    messages: Any = [
        {"role": "system", "content": "You are an assistant."},
        {"role": "user", "content": [{"type": "text", "text": "I want to book a table"}]},
        {"role": "assistant", "content": "For how many?"},
        {"role": "user", "content": "for six please"},
    ]
    answer = client.chat.completions.create(model="restaurant_en", messages=messages)
    local = converter_of("restaurant_en").convert("for six please", history=["I want to book a table"], max_calls=8)
    assert answer.choices[0].model_extra is not None
    assert answer.choices[0].model_extra["constrained_du"]["confidence"] == pytest.approx(local.confidence)


# ---- several answers, probabilities, streams -------------------------------------------------


def test_n_choices_are_the_n_likeliest_answers(client: openai.OpenAI) -> None:
    choices = ask(client, BOOKING, n=3).choices
    scores = [choice.constrained_du["score"] for choice in choices]
    assert [choice.index for choice in choices] == [0, 1, 2] and scores == sorted(scores, reverse=True)


def test_logprobs_are_of_whole_answers(client: openai.OpenAI) -> None:
    choice = ask(client, BOOKING, logprobs=True, top_logprobs=3).choices[0]
    (token,) = choice.logprobs.content
    assert json.loads(token.token) == {"name": "book_table", "arguments": {"party_size": 4, "time": "19:00"}}
    assert token.logprob == choice.constrained_du["score"] and len(token.top_logprobs) == 3
    assert bytes(token.bytes).decode() == token.token


STREAMED: list[tuple[str, str, dict[str, Any]]] = [
    ("a call", BOOKING, {}),
    ("text", "asdf qwer zxcv", {"tool_choice": "none"}),
    ("several choices", BOOKING, {"n": 2}),
    ("several calls", "What's the weather like in Tokyo and Paris?", {"tools": [WEATHER]}),
    ("the older kind", "What's the weather like in Tokyo?", {"functions": [WEATHER["function"]]}),
]


@pytest.mark.parametrize(("text", "more"), [row[1:] for row in STREAMED], ids=[row[0] for row in STREAMED])
def test_a_stream_adds_up_to_the_whole(client: openai.OpenAI, text: str, more: dict[str, Any]) -> None:
    whole = ask(client, text, **more)
    built: dict[int, dict[str, Any]] = {}
    chunks = list(ask(client, text, stream=True, stream_options={"include_usage": True}, **more))
    for chunk in chunks[:-1]:
        (choice,) = chunk.choices
        own = built.setdefault(choice.index, {"content": "", "calls": {}, "function": "", "reason": None})
        own["content"] += choice.delta.content or ""
        for call in choice.delta.tool_calls or ():
            names = own["calls"].setdefault(call.index, ["", ""])
            names[0] += call.function.name or ""
            names[1] += call.function.arguments or ""
        if choice.delta.function_call is not None:
            own["function"] += (choice.delta.function_call.name or "") + (choice.delta.function_call.arguments or "")
        own["reason"] = own["reason"] or choice.finish_reason
    assert chunks[-1].choices == [] and chunks[-1].usage == whole.usage
    for choice in whole.choices:
        own = built[choice.index]
        assert own["content"] == (choice.message.content or "") and own["reason"] == choice.finish_reason
        calls = [[call.function.name, call.function.arguments] for call in choice.message.tool_calls or ()]
        assert list(own["calls"].values()) == calls
        function = choice.message.function_call
        assert own["function"] == ("" if function is None else function.name + function.arguments)


def test_the_clients_own_stream_helper_agrees(client: openai.OpenAI) -> None:
    with client.chat.completions.stream(model="restaurant_en", messages=user(BOOKING)) as stream:
        final = stream.get_final_completion()
    (call,) = final.choices[0].message.tool_calls or ()
    assert json.loads(call.function.arguments) == {"party_size": 4, "time": "19:00"}


def test_several_clients_at_once_get_what_each_alone_gets(server: Served, client: openai.OpenAI) -> None:
    texts = [BOOKING, "show me the menu", "get me a taxi", BOOKING, "asdf qwer zxcv", "show me the menu"]

    async def all_at_once() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="any") as own:
            asked = (own.chat.completions.create(model="restaurant_en", messages=user(text)) for text in texts)
            return list(await asyncio.gather(*asked))

    together = asyncio.run(all_at_once())
    for text, answer in zip(texts, together, strict=True):
        assert answer.choices[0].message == ask(client, text).choices[0].message


# ---- what is refused -------------------------------------------------------------------------

BAD_SLOT: Any = {"type": "object", "properties": {"a": {"type": "string", "contains": {}}}}
BAD_SCHEMA: Any = {"type": "function", "function": {"name": "f", "parameters": BAD_SLOT}}
LONE_RESULT: Any = [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "call_1", "content": "22"}]
IMAGE: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]}]
REFUSED: list[tuple[str, type[openai.APIStatusError], dict[str, Any], str]] = [
    ("a model that is not there", openai.NotFoundError, {"model": "gpt-9"}, "model"),
    ("a misspelt field", openai.BadRequestError, {"extra_body": {"expectation": []}}, "expectation"),
    ("a word of the wrong type", openai.BadRequestError, {"extra_body": {"temperature": "hot"}}, "temperature"),
    ("no message", openai.BadRequestError, {"messages": []}, "messages"),
    ("a role that is none", openai.BadRequestError, {"messages": [{"role": "boss", "content": "hi"}]},
     "messages[0].role"),
    ("the assistant last", openai.BadRequestError, {"messages": [{"role": "assistant", "content": "hi"}]},
     "messages[0].role"),
    ("an image", openai.BadRequestError, {"messages": IMAGE}, "messages[0].content[0].type"),
    ("a result of no call", openai.BadRequestError, {"messages": LONE_RESULT}, "messages[1].tool_call_id"),
    ("an unsupported schema", openai.BadRequestError, {"tools": [WEATHER, BAD_SCHEMA]},
     "tools[1].function.parameters.properties.a.contains"),
    ("no tools in the list", openai.BadRequestError, {"tools": []}, "tools"),
    ("two tools of one name", openai.BadRequestError, {"tools": [WEATHER, WEATHER]}, "tools[1]"),
    ("a tool of another kind", openai.BadRequestError, {"tools": [{"type": "custom", "custom": {"name": "x"}}]},
     "tools[0].type"),
    ("too many tools", openai.BadRequestError, {"tools": [WEATHER] * 65}, "tools"),
    ("a choice of no function", openai.BadRequestError,
     {"tool_choice": {"type": "function", "function": {"name": "fly"}}}, "tool_choice"),
    ("a key that no slot uses", openai.BadRequestError, {"extra_body": {"entities": {"planet": [[0, 1]]}}}, "entities"),
    ("a span beyond the text", openai.BadRequestError, {"extra_body": {"entities": {"city": [[0, 99]]}}},
     "entities['city']"),
    ("a time that is none", openai.BadRequestError, {"extra_body": {"now": "yesterday"}}, "now"),
    ("a form of answer for prose", openai.BadRequestError, {"response_format": {"type": "json_object"}},
     "response_format.type"),
    ("too many answers", openai.BadRequestError, {"n": 17}, "n"),
    ("an utterance that is too long", openai.BadRequestError, {"messages": user("ab " * 2000)}, "messages[0].content"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "wrong", "param"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_errors_have_openais_shape_and_the_fields_path(
    client: openai.OpenAI, error: type[openai.APIStatusError], wrong: dict[str, Any], param: str
) -> None:
    request: dict[str, Any] = {"model": "restaurant_en", "messages": user("hi"), **wrong}
    with pytest.raises(error) as caught:
        client.chat.completions.create(**request)
    body: Any = caught.value.body
    assert set(body) == {"message", "type", "param", "code"} and body["type"] == "invalid_request_error"
    assert body["param"] == param, body
    assert "/" not in body["message"], "a path of the disk?"
