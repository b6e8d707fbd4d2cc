"""GGUF files: their headers judged before native code sees them, embedders and adapters written."""
