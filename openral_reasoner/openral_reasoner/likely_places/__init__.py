"""Beliefs about where objects are: prior of kinds, and its update with memory and opinions."""
