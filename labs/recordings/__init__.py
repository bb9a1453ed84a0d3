"""Files of runs, and their making."""
