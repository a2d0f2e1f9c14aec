"""Algorithms of collective operations, one file each."""
