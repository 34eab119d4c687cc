"""Household tasks in sampled homes, judged by ground truth."""
