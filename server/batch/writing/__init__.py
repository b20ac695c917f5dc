"""Files that grow by whole chunks and can be gone on with."""
