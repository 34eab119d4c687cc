"""`openral weights export`: a fetched checkpoint as the ONNX file that its engine reads."""
