"""Couriers' problems as JSON in the shape of VROOM's, and the process that solves them."""
