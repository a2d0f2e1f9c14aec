"""The second implementation, in NumPy and SciPy: what a saved result claims, computed again without core or solver.

``instance`` checks that the arrays of a problem are those of its network and matrix, ``path_lists`` that the paths of a
demand are those of the routing.  ``second`` says what the second computation of a certificate offers; ``arcs``,
``paths``, ``splits`` and ``quotient`` are its kinds.  :mod:`pnet_lp.throughput.verify` chooses among them, and checks
what else a saved result claims.
"""
