"""What the robot can do, one file per verb, each a generator stepped once per control period."""
