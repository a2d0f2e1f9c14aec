"""Queue disciplines, one file each: what a port does with packets that it cannot send at once."""
