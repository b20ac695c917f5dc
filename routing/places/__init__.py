"""Where points stand on the roads."""
