"""Visual and physical models of furniture, objects and people."""
