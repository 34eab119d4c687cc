"""Offline reader of requests: sentence templates, one data file per language, and what they mean."""

from openral_reasoner.sentences.reader import read_sentence

__all__ = ["read_sentence"]
