"""Measurements, each a module with ``run() -> list[Row]``; `make bench` runs them and keeps the figures."""
