"""Typed goals: the statement of what a person asked for, made once by whoever reads the sentence."""
