"""Plugs that are guided into sockets."""
