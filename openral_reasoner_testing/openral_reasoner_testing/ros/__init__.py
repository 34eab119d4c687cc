"""Test doubles on real DDS."""
