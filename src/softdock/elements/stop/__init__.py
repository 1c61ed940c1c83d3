"""End stops of joints."""
