"""Weights that change while engines answer."""
