"""Locate."""
