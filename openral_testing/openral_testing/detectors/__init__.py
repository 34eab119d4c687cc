"""Conformance kit for detectors: a pytest plugin that tests any detector rSkill."""
