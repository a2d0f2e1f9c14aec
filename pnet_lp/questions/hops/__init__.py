"""How many hops apart endpoints are, also when links and switches fail."""
