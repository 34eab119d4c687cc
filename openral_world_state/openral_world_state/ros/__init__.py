"""The node that carries the world."""
