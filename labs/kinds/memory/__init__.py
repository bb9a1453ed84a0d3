"""Memory: what one more worker takes."""
