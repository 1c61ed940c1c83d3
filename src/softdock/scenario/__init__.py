"""Scenario files: format, units, messages with file and line, bundled scenarios."""
