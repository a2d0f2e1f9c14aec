"""Where many things are worked off, one file each: tasks of sweeps, draws, trials, searches and reports."""
