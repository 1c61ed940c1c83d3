"""Atomic writes, advisory locks, content-keyed caches, checks of input files, and readers in a child process."""
