"""The grammar of what is sayable: made from specs and candidates, written in other notations."""
