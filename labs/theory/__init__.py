"""Laws, queueing models and the forecast. Pure."""
