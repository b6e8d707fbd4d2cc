# %% [markdown]
# # From nothing to a mended mistake
# Run it cell by cell in VS Code, Spyder or Jupyter (jupytext), or whole: `python examples/notebook.py`

# %% The functions: JSON Schema, as for any function calling
from constrained_du import Converter
from constrained_du.grammar.emit import to_gbnf

specs = [
    {
        "name": "play_music",
        "description": "Play a song, an album or an artist.",
        "parameters": {
            "type": "object",
            "properties": {"title": {"type": "string", "description": "what to play"}},
            "required": ["title"],
        },
    },
    {
        "name": "set_volume",
        "description": "Set how loud it is, from 0 to 10.",
        "parameters": {
            "type": "object",
            "properties": {"level": {"type": "integer", "minimum": 0, "maximum": 10, "description": "the volume"}},
            "required": ["level"],
        },
    },
    {"name": "stop", "description": "Stop the music."},
]
converter = Converter().add_function_specs(specs).finalize()

# %% Ask it
result = converter.convert("volume to seven")
print(result[0].to_json(), f"confidence {result.confidence:.2f}")

# %% Why? What each rival scored, what was allowed for each slot
print(result.explain())

# %% Which values are possible at all, without asking any model
for level in (7, 8):
    print(level, converter.accepts({"name": "set_volume", "arguments": {"level": level}}, "volume to seven"))

# %% A mistake is mended with an exemplar: what fits it is decided by it
print("before:", converter.convert("crank it up to nine")[0].to_json())
converter.add_exemplars({"set_volume": [{"template": "crank it up to <level>"}]}).finalize()
mended = converter.convert("crank it up to nine")
print("after:", mended[0].to_json(), "decided by", mended.explain().decided_by)

# %% The same answer for code that was written for OpenAI's API
print(mended.to_openai()["tool_calls"][0]["function"])

# %% The grammar of all answers, for other engines (llama.cpp, Outlines, llguidance)
print(to_gbnf(converter.grammar("volume to seven")))
