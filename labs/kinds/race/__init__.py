"""The race: a counter that threads share."""
