"""How much sooner circuits end a workload than a fat tree."""

COMMAND = "cost speedup"
