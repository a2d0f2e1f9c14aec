"""Kinds of questions, one file each: the model of a case, and the function that poses it."""
