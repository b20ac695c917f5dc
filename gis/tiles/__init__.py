"""Vector tiles: which roads lie in a tile, their lines on its grid, and its bytes."""
