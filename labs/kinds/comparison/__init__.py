"""A comparison: several experiments in one figure."""
