"""Tables and plots.  Everything here reads results, stored or fresh, and computes no throughput."""
