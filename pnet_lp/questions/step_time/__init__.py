"""In what time collectives and training steps are moved, part by part."""
