"""Rules for flows, one file each."""
