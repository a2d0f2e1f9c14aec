"""Kinds of charts of experiments, a file each; ``percentiles`` is what those of distributions share."""
