"""Transports, one file each: how a flow is cut into packets, and when they are sent."""
