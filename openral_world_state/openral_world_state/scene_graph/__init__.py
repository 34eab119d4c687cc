"""Scene graph."""
