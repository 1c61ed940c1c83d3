"""Campaigns: many runs of a scenario with dispersed fields, none lost, and what they say together."""
