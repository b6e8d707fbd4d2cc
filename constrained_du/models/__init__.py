"""Model files by name: the registry, fetching, digests."""
