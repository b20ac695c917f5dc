"""Streets by their names: pieces of road that belong together, and how to find them."""
