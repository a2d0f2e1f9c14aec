"""The same flows by linear program, as a fluid and in packets, with causes of the gaps."""
