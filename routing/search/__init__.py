"""Searches on the turn graph that need no preparation, and chains of any searches."""
