"""The rig: what every measurement does around its load."""
