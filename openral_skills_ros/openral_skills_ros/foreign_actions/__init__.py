"""Actions of other packages: goals from templates, the client that sends them, and how they end."""
