"""Local model endpoint that speaks the protocols of two vendors."""
