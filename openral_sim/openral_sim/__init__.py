"""MuJoCo simulation: scenes, cameras, robot and skill server."""
