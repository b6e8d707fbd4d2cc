"""Function specs, their schemas and exemplars, read into frozen values."""
