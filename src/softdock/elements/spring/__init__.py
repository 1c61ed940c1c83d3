"""Springs, dampers and friction along joints."""
