"""Recordings with their messages, and the commands that read them."""
