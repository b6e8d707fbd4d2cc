"""Functions and slots joined into complete answers, ranked, with their confidence."""
