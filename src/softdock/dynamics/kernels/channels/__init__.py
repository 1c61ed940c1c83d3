"""Observed quantities and formulas of them."""
