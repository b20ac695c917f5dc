"""What holds only at times, and roads that a request excludes."""
