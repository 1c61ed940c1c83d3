"""Mutation testing: small faults in the sources that a test must notice (`make mutants`, docs/mutants.md)."""
