"""The map of a home, from a floor, from images or from memory, with what people add to it."""
