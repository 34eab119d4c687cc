"""Nodes of the product that can be broken by a switch while they run."""
