"""Lifting."""
