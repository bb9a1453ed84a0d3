"""Questions, and the checking of their answers."""
