"""Atomic writes, advisory locks and content-keyed caches."""
