"""Detectors of other projects: an rSkill from an ONNX file, and detections on photographs."""
