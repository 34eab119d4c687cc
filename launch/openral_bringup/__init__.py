"""Launch file, graph description, process supervision and lifecycle bring-up."""
