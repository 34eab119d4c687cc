"""Maps of homes: occupancy of the floor, rooms, and files of other systems; pure Python without ROS."""
