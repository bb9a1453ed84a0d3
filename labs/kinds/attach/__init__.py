"""Attach: a server of the reader's own, found, forecast, measured and judged."""
