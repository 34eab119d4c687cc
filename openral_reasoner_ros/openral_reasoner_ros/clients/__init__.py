"""Clients of the reasoner's peers: each turns a command into a request and its outcome into an event."""
