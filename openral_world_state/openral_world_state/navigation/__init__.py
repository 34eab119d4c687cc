"""Navigation on the floor plan: reachability, routes and viewpoints."""
