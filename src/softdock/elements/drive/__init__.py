"""Motors on joints."""
