"""Architectures, one file each: parameters, a closed-form bill, and the network that it can be counted from."""
