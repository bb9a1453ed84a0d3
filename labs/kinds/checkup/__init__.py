"""The checkup: what this machine can do."""
