"""One file per family of traffic patterns; importing a file registers what it holds."""
