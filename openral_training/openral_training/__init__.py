"""Training of a small one-stage detector on data sets in COCO format; PyTorch is needed here alone."""
