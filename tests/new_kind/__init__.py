"""Naps: how late a sleep ends."""
