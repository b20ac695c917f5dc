"""Readers of OpenStreetMap files: bytes in, columns of roads, nodes and relations out."""
