"""Success is earned: the evidence of a mission, and goals as predicates over it."""
