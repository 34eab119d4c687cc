"""Decision model of one's own: a small language model that picks among the legal next calls, in a worker."""
