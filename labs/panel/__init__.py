"""The panels: widgets, no maths, no processes."""
