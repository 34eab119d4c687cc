"""Model Context Protocol server of a robot."""
