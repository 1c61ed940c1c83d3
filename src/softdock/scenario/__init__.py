"""Scenarios: file format, validation, error messages with file and line, bundled scenarios."""
