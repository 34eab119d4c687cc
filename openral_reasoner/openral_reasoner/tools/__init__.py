"""Tools the model may call, one file each."""
