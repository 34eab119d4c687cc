"""Supervised worker process that runs the model."""
