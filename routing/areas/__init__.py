"""What can be reached within limits."""
