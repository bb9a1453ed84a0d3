"""Start, steer and end servers."""
