"""Weights and environments: fetched, checked and made by explicit commands, never by a running graph."""
