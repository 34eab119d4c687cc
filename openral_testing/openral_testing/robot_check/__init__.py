"""`openral robot check`: a running robot against its robot.yaml."""
