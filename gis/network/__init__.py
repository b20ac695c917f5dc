"""From OpenStreetMap tables to the finished road network."""
