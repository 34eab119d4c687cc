"""Spatial memory: lift, association, scene graph, recall and place resolution."""
