"""Referring expressions by a vision-language model that answers in a grammar of boxes."""
