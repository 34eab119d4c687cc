"""Scene graph: relations from geometry, and JSON documents."""
