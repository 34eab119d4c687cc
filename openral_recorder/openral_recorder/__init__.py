"""MCAP recordings of a robot: writing, and the recorder node."""
