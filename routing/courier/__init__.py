"""The best order of stops: what is fetched here and brought there, by one courier or by several."""
