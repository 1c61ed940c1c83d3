"""Campaigns: many runs of a scenario with dispersed fields; execution, storage and statistics."""
