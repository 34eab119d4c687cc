"""Preflight of decision models behind an endpoint."""
