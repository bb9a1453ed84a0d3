"""Servers from scratch, short enough to be read: one each, and a prefork that grows."""
