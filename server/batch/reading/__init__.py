"""Tables of points as people have them: CSV, Parquet, Arrow IPC, GeoJSON lines."""
