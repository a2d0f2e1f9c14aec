"""Where draws are answered, one file each."""
