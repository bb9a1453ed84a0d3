"""The application that every server serves."""
