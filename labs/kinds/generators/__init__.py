"""Load generators on the same server."""
