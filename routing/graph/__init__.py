"""The edge-based turn graph: arcs as vertices, turns as their arcs."""
