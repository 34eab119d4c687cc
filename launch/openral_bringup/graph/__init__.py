"""Description of the graph as a value, built from the options of a deployment."""
