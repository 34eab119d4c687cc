"""Synthetic depth images of simple bodies, for tests and benchmarks."""
