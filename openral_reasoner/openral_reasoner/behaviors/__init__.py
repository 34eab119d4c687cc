"""Behaviors: generators that carry out the steps of a mission."""
