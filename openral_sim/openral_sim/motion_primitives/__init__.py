"""Motion primitives."""
