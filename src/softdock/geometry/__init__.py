"""CAD in, meridian profiles, distances and mass properties."""
