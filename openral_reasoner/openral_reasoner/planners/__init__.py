"""Deciding without a language model."""
