"""The doors: HTTP, command line and benchmarks."""
