"""Graphs and algorithms on arrays: from a road network to routes."""
