"""Verbs by policies on remote servers."""
