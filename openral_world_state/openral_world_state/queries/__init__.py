"""Requests to the world model: recall, resolve, observe and edit."""
