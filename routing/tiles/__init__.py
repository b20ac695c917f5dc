"""Vector tiles of the roads of a vehicle, with what they weigh."""
