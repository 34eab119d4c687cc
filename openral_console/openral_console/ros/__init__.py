"""Sources of the console's content: a running robot and a recording."""
