"""Images with labels, rendered from homes that are drawn from seeds: data for training detectors."""
