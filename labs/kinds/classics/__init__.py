"""Classics: the sources' experiments, made again."""
