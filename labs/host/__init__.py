"""The machine: hardware, programs, its lock, and the processes on it."""
