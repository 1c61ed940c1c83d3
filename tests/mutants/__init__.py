"""Mutation tests: small faults in the sources that a test must notice (`make mutants`, CONTRIBUTING.md)."""
