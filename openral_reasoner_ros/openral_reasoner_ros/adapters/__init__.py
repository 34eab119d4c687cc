"""One file per kind of command: it is sent, and what comes back is posted as an event."""
