"""Lifecycle manager."""
