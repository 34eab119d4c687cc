"""Optional sentence embeddings: they suggest labels near in meaning, and never turn one into a match."""
