"""Benchmarks: each `python -m bench.NAME` prints its figures. Run them on a quiet machine."""
