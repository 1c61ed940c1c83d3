"""Quantities with units at the door: field types of people's models, floats in SI inside."""
