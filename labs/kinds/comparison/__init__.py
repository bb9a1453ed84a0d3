"""A comparison: several experiments in one figure, visited by turns."""
