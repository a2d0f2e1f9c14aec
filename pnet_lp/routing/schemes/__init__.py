"""The routings, one file each."""
