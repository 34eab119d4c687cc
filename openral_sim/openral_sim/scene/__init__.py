"""Scenes: their YAML document, and their composition into a MuJoCo specification."""
