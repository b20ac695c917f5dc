"""Other engines, each asked in a process of its own Python."""
