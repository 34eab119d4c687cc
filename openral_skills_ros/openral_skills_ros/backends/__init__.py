"""Backends of verbs: each carries out a goal by actions of other packages."""
