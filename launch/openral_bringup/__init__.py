"""Bring-up of the whole graph: launch file, graph description, process supervision, lifecycle manager."""
