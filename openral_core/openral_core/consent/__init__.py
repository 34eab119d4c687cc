"""Consent: what a policy permits, what is a hazard, and what the operator is asked about."""
