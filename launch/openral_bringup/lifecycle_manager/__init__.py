"""Lifecycle bring-up of the managed nodes."""
