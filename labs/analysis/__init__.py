"""Points made from raw times, and what to know before believing one. Pure."""
