"""Evidence about functions: which of them an utterance asks for."""
