"""Simple bounds such as bisection, compared with the throughput."""
