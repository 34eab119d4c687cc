"""What the simulation publishes, one file per kind of topic."""
