"""Solids of any shape as lists of exact faces: reading, signed distance, cells of their faces, checks."""
