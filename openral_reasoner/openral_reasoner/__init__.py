"""Sans-IO mission core: palette, tools, budgets, search and the scripted planner."""
