"""Crushable energy absorbers along joints."""
