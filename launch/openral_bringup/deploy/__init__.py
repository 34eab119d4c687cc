"""Implementation of deploy_sim: supervised processes, a live view and a report."""
