"""Property-based fuzzing of every entrance of every node, from the definitions of the interfaces."""
