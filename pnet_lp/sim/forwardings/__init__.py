"""Forwardings, one file each: which way packets go."""
