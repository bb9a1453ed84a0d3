"""Benchmarks: each `python -m bench.NAME` prints its figures. Run them on a quiet machine.

`levels`, `mutation`, `owner` and `reading` are none: they are parts of others.
"""
