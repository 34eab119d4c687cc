"""Worker processes: one per active detector, so that what a model costs ends with its process."""
