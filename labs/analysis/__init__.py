"""From raw times to points, and what to know before believing one. Pure."""
