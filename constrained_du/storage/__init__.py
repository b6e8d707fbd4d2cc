"""The compiled domain on disk."""
