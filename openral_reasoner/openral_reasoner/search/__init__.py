"""Active search: candidates, their order, and the progress of an episode."""
