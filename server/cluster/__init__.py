"""The same work on the machines of a Dask cluster."""
