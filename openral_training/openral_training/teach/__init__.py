"""Lessons: frames of a home, boxes of what is new in them, their review, and a detector that learns them."""
