"""MCAP recordings of a robot: writing, recovery, and the recorder node."""
