"""What a network carries for its money and its power."""
