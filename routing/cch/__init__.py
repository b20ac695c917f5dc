"""The customizable contraction hierarchy on the turn graph."""
