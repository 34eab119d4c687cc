"""Objects: their kinds, and the shapes that build them."""
