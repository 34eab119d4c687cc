"""Judge of a goal: the proof that it is reached, else what is missing and the remedy."""
