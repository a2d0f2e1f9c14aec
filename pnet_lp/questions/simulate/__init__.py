"""How long flows take, packet by packet or as a fluid."""
