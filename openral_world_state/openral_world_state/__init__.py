"""Spatial memory: lift, association, absence, scene graph, recall and resolution."""
