"""Evaluation of decision models: suites of fast tasks, repeated trials, statistics and reports."""
