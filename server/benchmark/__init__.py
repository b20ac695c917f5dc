"""Measurements that anyone can repeat, beside the peers that are installed."""
