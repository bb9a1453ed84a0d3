"""Benchmarks: each `python -m bench.NAME` prints its figures. Run them on a quiet machine.

`levels` is none: it is what those of servers and models say of a level.
"""
