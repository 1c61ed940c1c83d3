"""Figures, tables and reports from results."""
