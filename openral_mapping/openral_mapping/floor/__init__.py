"""The floor from depth images: its occupancy, the pose by scan matching, and the next view to explore."""
