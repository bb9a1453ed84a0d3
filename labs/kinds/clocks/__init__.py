"""The clocks: one request on three clocks."""
