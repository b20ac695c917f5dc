"""Elimination orders: which vertices a contraction hierarchy contracts first."""
