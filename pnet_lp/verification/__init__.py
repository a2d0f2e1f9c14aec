"""The second implementation, in NumPy and SciPy: what a saved result claims, computed again without core or solver.

``instance`` checks that the arrays of a problem are those of its network and matrix, ``path_lists`` that the paths of a
demand are those of the routing.  ``second`` says what the second computation of a certificate offers; ``arcs``,
``paths``, ``splits`` and ``quotient`` are its kinds.  Which of them a saved result needs, and what else it claims, is the
business of :mod:`pnet_lp.throughput.verify`.
"""
