"""A timeline: one load after the other."""
