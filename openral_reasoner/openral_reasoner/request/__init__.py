"""Typed goals: the statement of what a person asked for, made once by the reader of the sentence."""
