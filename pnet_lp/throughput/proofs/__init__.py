"""Proofs: what binds, how a result is stored, and the second implementation that re-checks it.

``second`` is what the second implementation of a problem offers, ``second_arcs``, ``second_paths`` and
``second_splits`` are the three kinds; none calls a solver or the Rust core.  ``store`` reads and writes files.
"""
