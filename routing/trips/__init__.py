"""The order of stops that makes the shortest tour."""
