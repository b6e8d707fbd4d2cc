"""What an utterance says in numbers and times, each with its span."""
