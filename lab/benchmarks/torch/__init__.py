"""Benchmarks that run in the Python environment of PyTorch engines, and are imported there alone."""
