"""Real photographs, depth, weights and chat templates for tests: where they lie, how they are fetched."""

from openral_testing.real_data.location import RealDataMissing, find_real_data, real_data

__all__ = ["RealDataMissing", "find_real_data", "real_data"]
