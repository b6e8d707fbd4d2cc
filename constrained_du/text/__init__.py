"""Words, and what is said with them: knows neither specs nor models."""
