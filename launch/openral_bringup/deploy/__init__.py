"""deploy_sim: the graph as supervised processes, a live view, and a report."""
