"""Roads that are other than the dataset has them."""
