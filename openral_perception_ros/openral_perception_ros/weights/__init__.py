"""Weights and Python environments: fetched, verified and created by explicit commands only."""
