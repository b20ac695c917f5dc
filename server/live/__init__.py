"""Speeds that are in force now: read, kept, published."""
