"""Forwardings, one file each: how packets get their paths."""
