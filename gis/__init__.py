"""Files, maps and geometry: everything that knows nothing of shortest paths."""
