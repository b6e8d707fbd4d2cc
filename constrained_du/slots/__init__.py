"""Evidence about slots: which spans and values of an utterance fit which slot of a function."""
