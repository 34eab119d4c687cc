"""Training of a detector, its evaluation, and its export as an rSkill."""
