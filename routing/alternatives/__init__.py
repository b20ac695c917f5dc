"""Other routes that make sense."""
