"""Routes between many points at once."""
