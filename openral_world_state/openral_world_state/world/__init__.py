"""World model: what is known of a home beside its objects, and everything behind one object."""
