"""Families of flow sizes, one file each: the points of a published curve."""
