"""HTTP services: parameters in, OSRM's JSON out."""
