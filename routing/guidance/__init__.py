"""Directions: from the arcs of a route to steps with maneuvers."""
