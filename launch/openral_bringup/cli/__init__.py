"""The `openral` command line."""
