"""Detection requests: validation, queue and typed errors."""
