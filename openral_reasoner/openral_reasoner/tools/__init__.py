"""What the model may call: one file each."""
