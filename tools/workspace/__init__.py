"""Sets this workspace up and builds it: `python3 -m workspace setup`, `python3 -m workspace build`.

Runs before the virtual environment exists, so it uses the standard library alone.
"""
