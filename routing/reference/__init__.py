"""Searches that need no preparation: Dijkstra, the truth, and A* with landmarks."""
