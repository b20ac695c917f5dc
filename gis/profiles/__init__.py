"""Vehicles: plain functions from tags to speeds, barriers and turn costs."""
