"""Static map of a home."""
