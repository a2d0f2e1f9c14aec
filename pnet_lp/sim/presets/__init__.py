"""Presets, one file each: the parameters of one paper or program, each with its source."""
