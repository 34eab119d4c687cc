"""What benchmarks run in the Python environment of engines on PyTorch; imported there alone."""
