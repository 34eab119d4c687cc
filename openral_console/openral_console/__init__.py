"""Console in the browser: one more client of a robot, or the reader of a recording."""
