"""Benchmarks: each `python -m bench.NAME` prints its figures. Run them on a quiet machine.

`levels` and `reading` are none: they are parts of others.
"""
