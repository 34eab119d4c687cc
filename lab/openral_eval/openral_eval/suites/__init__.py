"""Suites of tasks; `registry` lists them."""
