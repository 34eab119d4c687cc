"""Benchmark of household tasks in sampled homes, judged by ground truth."""
