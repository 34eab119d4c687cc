"""Weights at a desk: `openral weights`, conversion of networks, proofs that weights were measured."""
