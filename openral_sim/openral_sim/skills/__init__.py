"""Skills of the robot, one generator per verb, stepped once per control period."""
