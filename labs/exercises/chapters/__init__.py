"""The exercises, chapter by chapter."""
