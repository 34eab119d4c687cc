"""Decision as a choice: the core lists the legal next calls as lines, and a small model picks one."""
