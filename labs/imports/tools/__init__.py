"""Load generators whose results can be read, a module for each.

A module has its program's NAME, how its files begin (KNOWN), how to have one (AGAIN), and
`levels(lines)`, which reads one or says what is wrong with it.
"""
