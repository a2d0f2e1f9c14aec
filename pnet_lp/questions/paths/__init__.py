"""The paths that a routing allows, or their statistics."""
