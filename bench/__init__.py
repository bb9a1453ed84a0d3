"""Benchmarks: each `python -m bench.NAME` prints its figures. Run them on a quiet machine.

`levels`, `mutation`, `owner`, `reading` and `ruined` are none: they are parts of others.
"""
