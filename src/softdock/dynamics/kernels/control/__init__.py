"""Controllers: measurements, estimates, guidance, commands and actuators."""
