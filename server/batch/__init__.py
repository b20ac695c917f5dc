"""Many questions from a file, their answers into another."""
