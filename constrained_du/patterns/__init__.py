"""Automata over code points, and ``pattern`` of JSON Schema read into them."""
