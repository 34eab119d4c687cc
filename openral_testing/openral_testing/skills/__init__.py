"""Conformance tests for skill servers; `options` describes how to run them."""
