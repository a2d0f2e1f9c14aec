"""What connected pairs still get while parts fail, draw by draw."""
